import type { Ask, Asked, LoadProgress, Reply } from "@/lib/features/results/browser/worker-messages";
import { ApiError } from "@/lib/platform/browser/request";

type Waiting = {
  resolve: (answer: unknown) => void;
  reject: (error: unknown) => void;
  onProgress: ((progress: LoadProgress) => void) | null;
};

/** Client of a worker that holds a result. */
export class WorkerClient {
  #worker: Worker;
  #waiting = new Map<number, Waiting>();
  #nextId = 1;

  constructor() {
    // Inline, since the bundler only recognises this exact form.
    this.#worker = new Worker(new URL("./result-worker.ts", import.meta.url), { type: "module" });
    this.#worker.onmessage = ({ data }: MessageEvent<Reply>) => this.#settle(data);
    this.#worker.onerror = () => this.#failAll("The browser ran out of memory for these rows. Load them again.");
  }

  ask<K extends keyof Asked>(
    type: K,
    ask: Asked[K]["ask"],
    onProgress: ((progress: LoadProgress) => void) | null = null,
  ): Promise<Asked[K]["answer"]> {
    const id = this.#nextId;
    this.#nextId += 1;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve: (answer) => resolve(answer as Asked[K]["answer"]), reject, onProgress });
      this.#worker.postMessage({ id, type, ...ask } as Ask);
    });
  }

  /** Terminates the worker and frees its memory; pending requests fail with an AbortError. */
  close(): void {
    this.#worker.terminate();
    for (const { reject } of this.#waiting.values()) reject(new DOMException("The result was released.", "AbortError"));
    this.#waiting.clear();
  }

  #settle(reply: Reply): void {
    const waiting = this.#waiting.get(reply.id);
    if (waiting === undefined) return;
    if (reply.status === "progress") {
      waiting.onProgress?.(reply.progress);
      return;
    }
    this.#waiting.delete(reply.id);
    if (reply.status === "done") waiting.resolve(reply.answer);
    else waiting.reject(new ApiError(0, reply.code, reply.message));
  }

  #failAll(message: string): void {
    for (const { reject } of this.#waiting.values()) reject(new ApiError(0, "internal", message));
    this.#waiting.clear();
  }
}
