import { readConnectivity, reportReachable, reportUnreachable } from "@/lib/platform/browser/connectivity";
import { ping } from "@/lib/platform/browser/ping";
import { HEARTBEAT_SECONDS } from "@/lib/platform/events/limits";
import type { EventData, EventKind } from "@/lib/platform/events/schema";

/** One change; `reset` says that some were missed, and that all shown data must be reloaded. */
export type LiveEvent = { kind: EventKind; data: EventData } | { kind: "reset" };
type Listener = (event: LiveEvent) => void;
/** Messages from the tab that reads the stream to the others: events, and whether the server is reachable. */
type Passed = LiveEvent | { kind: "reachable" } | { kind: "unreachable"; heardAt: number };
type Pass = (news: Passed) => void;

/** All kinds; the type ensures that none is missing. */
const KINDS: Record<EventKind, true> = {
  run: true,
  log: true,
  delivery: true,
  console: true,
  dashboard: true,
  metric: true,
  app: true,
  plan: true,
  execution: true,
  presence: true,
  push: true,
  review: true,
};
/**
 * Time after opening a page that is reserved for its first requests, in ms. Data that may have changed before the
 * stream was connected is reloaded after that.
 */
const READ_AGAIN_AFTER_MS = 1500;
/** Delay after a stream that was rejected, in ms; a browser reconnects automatically only after one that broke. */
const REOPEN_AFTER_MS = 10_000;
/** The same delay while the server is unreachable: its return should be noticed soon. */
const REOPEN_LOST_AFTER_MS = 2000;
/** Maximum silence of a stream with a heartbeat, in ms: beyond it the connection is dead, or the server hangs. */
const SILENCE_MS = 2.5 * HEARTBEAT_SECONDS * 1000;
const LISTEN_EVERY_MS = 1000;

/**
 * The live updates of a workspace. The tabs of a browser share one stream, since a browser opens few connections to a
 * server: the tab that holds a lock reads it and passes on its events; when that tab closes, the next one takes the
 * lock. A broken stream tells all of them at once that the server is unreachable.
 */
export class LiveUpdates {
  readonly #workspaceId: string;
  readonly #listeners = new Set<Listener>();
  #stop: AbortController | null = null;

  constructor(workspaceId: string) {
    this.#workspaceId = workspaceId;
  }

  /** @returns a function that unsubscribes; the stream ends with the last listener */
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
    // Browsers have locks on secure origins alone; elsewhere each tab reads its stream.
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
 * Resolves when the stream is closed for good; the browser reopens a broken one after the last event. A silent one is
 * closed here: a server that hangs breaks no connection, and answers nothing.
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
    /** @returns whether the server responds */
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
    // The browser reconnects silently: without this check, the page would look current and be stale.
    const askWhetherLost = async () => {
      if (isAsking || !readConnectivity().isOnline || (await ask())) return;
      if (!signal.aborted && source.readyState !== EventSource.OPEN) pass({ kind: "unreachable", heardAt });
    };
    const listen = async () => {
      if (isAsking || Date.now() - heardAt < SILENCE_MS) return;
      const isThere = await ask();
      // An event arrived in the meantime, or no one waits for the stream.
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
    // Data loaded before the stream was open may be stale. A reopened stream resumes from its position.
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
