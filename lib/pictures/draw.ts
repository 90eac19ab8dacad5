import "server-only";
import { Worker } from "node:worker_threads";
import type { DrawAnswer, DrawRequest, PicturePage } from "@/lib/embedded/drawing/messages";
import { AppError } from "@/lib/http/errors";
import { childEntry } from "@/lib/process/entries";
import { sharedState } from "@/lib/process/shared-state";

/**
 * A full page takes two or three seconds, on a machine that has ten times as much to do as it can ten times as long; a specification that goes
 * on for longer is none that anybody waits for.
 */
const TIMEOUT_MS = 60_000;
/** Sixty charts of five thousand rows, and the thread's own libraries. */
const HEAP_MIB = 512;

type Pending = { request: DrawRequest; resolve: (png: Picture) => void; reject: (error: Error) => void };
type State = { worker: Worker | null; line: Pending[]; nextId: number; timer: NodeJS.Timeout | null };
/** `undrawn` counts charts in whose place words stand. */
export type Picture = { png: Buffer; pdf: Buffer | null; undrawn: number };

/**
 * Draws a page as PNG, one after the other, in a thread that ends with what it cannot bear.
 * @param withPdf whether the same is made as PDF, too
 * @throws AppError `unavailable` for a page that takes too long or too much memory
 */
export function drawPage(page: PicturePage, withPdf = false): Promise<Picture> {
  const state = sharedState("pictures", (): State => ({ worker: null, line: [], nextId: 1, timer: null }));
  return new Promise((resolve, reject) => {
    state.line.push({ request: { id: state.nextId++, page, withPdf }, resolve, reject });
    if (state.line.length === 1) begin(state);
  });
}

function begin(state: State): void {
  const [first] = state.line;
  if (!first) return;
  state.worker ??= startWorker(state);
  state.worker.ref();
  state.timer = setTimeout(() => void state.worker?.terminate(), TIMEOUT_MS);
  state.worker.postMessage(first.request);
}

function startWorker(state: State): Worker {
  const worker = new Worker(/* turbopackIgnore: true */ childEntry("drawing"), {
    // No setting and no secret of the platform is in the thread's reach.
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MIB },
  });
  worker.on("message", (answer: DrawAnswer) => {
    const pending = settle(state);
    worker.unref();
    if ("error" in answer) pending?.reject(new Error(`A picture could not be drawn: ${answer.error}`));
    else {
      const { png, pdf, undrawn } = answer;
      pending?.resolve({ png: Buffer.from(png), pdf: pdf && Buffer.from(pdf), undrawn });
    }
    begin(state);
  });
  // The exit that follows does what has to be done.
  worker.on("error", () => {});
  worker.on("exit", () => {
    state.worker = null;
    settle(state)?.reject(new AppError("unavailable", "The picture takes too long, or too much memory, to be drawn."));
    begin(state);
  });
  return worker;
}

function settle(state: State): Pending | undefined {
  if (state.timer) clearTimeout(state.timer);
  state.timer = null;
  return state.line.shift();
}
