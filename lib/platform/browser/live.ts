import { readConnectivity, reportReachable, reportUnreachable } from "@/lib/platform/browser/connectivity";
import { ping } from "@/lib/platform/browser/ping";
import { HEARTBEAT_SECONDS } from "@/lib/platform/events/limits";
import type { EventData, EventKind } from "@/lib/platform/events/schema";

/** One change; `reset` says that some were missed, and everything shown is to be read anew. */
export type LiveEvent = { kind: EventKind; data: EventData } | { kind: "reset" };
type Listener = (event: LiveEvent) => void;
/** What the tab that reads the stream tells the others: what has come, and whether the server is there. */
type Passed = LiveEvent | { kind: "reachable" } | { kind: "unreachable"; heardAt: number };
type Pass = (news: Passed) => void;

/** All kinds, in a form that leaves out none. */
const KINDS: Record<EventKind, true> = {
  run: true,
  log: true,
  delivery: true,
  console: true,
  dashboard: true,
  app: true,
  plan: true,
  execution: true,
  presence: true,
};
/**
 * What a page reads first has the line and the server for itself for so long after it was opened: what is read once more,
 * since it may have changed before the stream was there, is read after that.
 */
const READ_AGAIN_AFTER_MS = 1500;
/** After a stream that was refused for good; a browser tries again by itself only after one that broke. */
const REOPEN_AFTER_MS = 10_000;
/** The same while the server cannot be reached: the one that is back is to be seen soon. */
const REOPEN_LOST_AFTER_MS = 2000;
/** Of a stream that says that it is alive: so much silence is a dead line, or a server that stands still. */
const SILENCE_MS = 2.5 * HEARTBEAT_SECONDS * 1000;
const LISTEN_EVERY_MS = 1000;

/**
 * The live updates of a workspace. The tabs of a browser share one stream, since it has few connections for a server:
 * the tab that holds a lock reads it and passes on what comes; when that tab goes, the next one takes the lock.
 * A stream that breaks is how all of them learn at once that the server is gone.
 */
export class LiveUpdates {
  readonly #workspaceId: string;
  readonly #listeners = new Set<Listener>();
  #stop: AbortController | null = null;

  constructor(workspaceId: string) {
    this.#workspaceId = workspaceId;
  }

  /** @returns takes the listener back; the stream ends with the last one */
  listen(listener: Listener): () => void {
    this.#listeners.add(listener);
    this.#stop ??= this.#start();
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size > 0) return;
      this.#stop?.abort();
      this.#stop = null;
    };
  }

  #start(): AbortController {
    const stop = new AbortController();
    const url = `/api/workspaces/${this.#workspaceId}/events?heartbeat=true`;
    const name = `millrace-live-${this.#workspaceId}`;
    const channel = new BroadcastChannel(name);
    channel.onmessage = ({ data }: MessageEvent<Passed>) => this.#hear(data);
    stop.signal.addEventListener("abort", () => channel.close());
    const pass = (news: Passed) => {
      this.#hear(news);
      if (!stop.signal.aborted) channel.postMessage(news);
    };
    // Browsers have locks on safe origins alone; elsewhere each tab reads for itself.
    if (!navigator.locks) void readUntil(stop.signal, url, (news) => this.#hear(news));
    else
      navigator.locks.request(name, { signal: stop.signal }, () => readUntil(stop.signal, url, pass)).catch(() => {});
    return stop;
  }

  #hear(news: Passed): void {
    if (news.kind === "unreachable") reportUnreachable(Date.now(), news.heardAt);
    else if (news.kind === "reachable") reportReachable();
    else for (const listener of this.#listeners) listener(news);
  }
}

/** Resolves when the signal aborts. */
async function readUntil(signal: AbortSignal, url: string, pass: Pass): Promise<void> {
  while (!signal.aborted) {
    await readStream(signal, url, pass);
    await sleepUntil(signal, readConnectivity().isOnline ? REOPEN_AFTER_MS : REOPEN_LOST_AFTER_MS);
  }
}

/**
 * Resolves when the stream is closed for good; a broken one is opened again by the browser, behind the last event. One
 * that is silent is closed here: a server that stands still breaks nothing, and answers nothing.
 */
function readStream(signal: AbortSignal, url: string, pass: Pass): Promise<void> {
  return new Promise((resolve) => {
    const source = new EventSource(url);
    let heardAt = Date.now();
    let isAsking = false;
    const end = () => {
      clearInterval(ear);
      signal.removeEventListener("abort", end);
      source.close();
      resolve();
    };
    /** @returns whether the server is there */
    const ask = async (): Promise<boolean> => {
      isAsking = true;
      try {
        await ping();
        return true;
      } catch {
        return false;
      } finally {
        isAsking = false;
      }
    };
    // The browser opens it again by itself and says nothing meanwhile: a page would look current and be old.
    const askWhetherLost = async () => {
      if (isAsking || !readConnectivity().isOnline || (await ask())) return;
      if (!signal.aborted && source.readyState !== EventSource.OPEN) pass({ kind: "unreachable", heardAt });
    };
    const listen = async () => {
      if (isAsking || Date.now() - heardAt < SILENCE_MS) return;
      const isThere = await ask();
      // It has spoken meanwhile, or nobody waits for it any more.
      if (signal.aborted || Date.now() - heardAt < SILENCE_MS) return;
      if (!isThere) pass({ kind: "unreachable", heardAt });
      end();
    };
    const ear = setInterval(listen, LISTEN_EVERY_MS);
    const hear = (type: string, take: (event: MessageEvent) => void) =>
      source.addEventListener(type, (event) => {
        heardAt = Date.now();
        take(event);
      });
    signal.addEventListener("abort", end, { once: true });
    for (const kind of Object.keys(KINDS) as EventKind[])
      hear(kind, ({ data }) => pass({ kind, data: JSON.parse(data) }));
    hear("heartbeat", () => {});
    hear("reset", () => pass({ kind: "reset" }));
    // What was read before the stream was open may be old already. A stream that is opened again says where it was.
    const readAgain = async () => {
      await sleepUntil(signal, READ_AGAIN_AFTER_MS - performance.now());
      if (!signal.aborted) pass({ kind: "reset" });
    };
    source.addEventListener("open", () => void readAgain(), { once: true });
    source.addEventListener("open", () => {
      heardAt = Date.now();
      pass({ kind: "reachable" });
    });
    source.onerror = () => {
      void askWhetherLost();
      if (source.readyState === EventSource.CLOSED) end();
    };
  });
}

function sleepUntil(signal: AbortSignal, ms: number): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted || ms <= 0) return resolve();
    const timer = setTimeout(resolve, ms);
    signal.addEventListener(
      "abort",
      () => {
        clearTimeout(timer);
        resolve();
      },
      { once: true },
    );
  });
}
