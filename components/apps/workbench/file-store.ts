import { createStore } from "zustand/vanilla";
import { Coalescer } from "@/lib/base/async/coalescer";
import { readConnectivity, subscribeConnectivity } from "@/lib/platform/browser/connectivity";
import { ApiError } from "@/lib/platform/browser/request";

/** An edited text that the server does not have yet. */
export type LocalText = {
  content: string;
  /** Object id of the server's content that the edit is based on; `none` if there was no file. */
  baseOid: string;
  /** `refused`: the server rejects the content. `conflict`: the server has a different version. */
  status: "waiting" | "sending" | "refused" | "conflict";
  /** Reason for the refusal. */
  message: string | null;
};

/** Calls of the store to the server. @throws ApiError */
export type FileServer = {
  write: (path: string, content: string, oid: string) => Promise<{ oid: string }>;
  /** Called when typed content has reached the server. */
  onSaved: (path: string, content: string, oid: string) => void;
};

/** Content of a file on the server, as last seen by this page. */
export type KnownText = { oid: string; content: string };

/** Combined save state of all edits. */
export type SaveState = "saved" | "saving" | "offline" | "refused" | "conflict";

/** About a pause between two words: edits should reach the preview at once, and saves are sent one after another. */
const SEND_AFTER_MS = 250;
const KEEP_AFTER_MS = 200;
/** Delay before a retry when the server is busy. If it is unreachable, the retry follows the reconnect. */
const AGAIN_AFTER_MS = 5000;

/**
 * Holds the user's edits to an app's files until the server has saved them as the user's draft. Pending edits are kept
 * in this browser, so that they survive a lost connection and a closed page.
 */
export class FileStore {
  readonly #texts = createStore<ReadonlyMap<string, LocalText>>(() => new Map());
  #sendTimers = new Map<string, ReturnType<typeof setTimeout>>();
  #keepTimers = new Map<string, ReturnType<typeof setTimeout>>();
  readonly #sending = new Coalescer<void>();
  readonly #prefix: string;

  constructor(
    userId: string,
    appId: string,
    private readonly server: FileServer,
    private readonly onFull: () => void,
  ) {
    this.#prefix = `millrace:app-text:${userId}:${appId}:`;
  }

  readonly readAll = this.#texts.getState;

  read = (path: string): LocalText | null => this.readAll().get(path) ?? null;

  readonly subscribe = this.#texts.subscribe;

  /** Reads the kept edits and sends them. @returns a function that stops this */
  wake(): () => void {
    this.#readKept();
    const sendAll = () => {
      const isOnline = readConnectivity().isOnline;
      for (const [path, { status }] of this.readAll()) if (isOnline && status === "waiting") this.#sendSoon(path, 0);
      // The shown status depends on the connection, too.
      this.#change(() => {});
    };
    const onLeave = () => {
      for (const path of [...this.#keepTimers.keys()]) this.#keep(path);
    };
    const stopFollowing = subscribeConnectivity(sendAll);
    addEventListener("pagehide", onLeave);
    document.addEventListener("visibilitychange", onLeave);
    sendAll();
    return () => {
      stopFollowing();
      removeEventListener("pagehide", onLeave);
      document.removeEventListener("visibilitychange", onLeave);
      onLeave();
      for (const timer of this.#sendTimers.values()) clearTimeout(timer);
      this.#sendTimers.clear();
      // Send pending edits now; those that do not arrive stay kept and are sent when the app is opened again.
      for (const [path, { status }] of this.readAll()) if (status === "waiting") void this.#send(path);
    };
  }

  /** Records an edit of a file. An edit that restores the server's content is dropped. */
  write(path: string, content: string, known: KnownText): void {
    const before = this.read(path);
    if (before === null && content === known.content) return;
    if (before?.content === content) return;
    if (content === known.content && before !== null && before.status !== "sending") {
      this.drop(path);
      return;
    }
    const isConflict = before?.status === "conflict";
    const status = isConflict ? "conflict" : before?.status === "sending" ? "sending" : "waiting";
    this.#set(path, { content, baseOid: before?.baseOid ?? known.oid, status, message: null });
    if (!isConflict) this.#sendSoon(path, SEND_AFTER_MS);
  }

  /** Resolves a conflict: the text is now based on the server's content. */
  resolve(path: string, content: string, known: KnownText): void {
    if (content === known.content) {
      this.drop(path);
      return;
    }
    this.#set(path, { content, baseOid: known.oid, status: "waiting", message: null });
    this.#sendSoon(path, 0);
  }

  /** Drops the edits to a file. */
  drop(path: string): void {
    clearTimeout(this.#sendTimers.get(path));
    this.#sendTimers.delete(path);
    clearTimeout(this.#keepTimers.get(path));
    this.#keepTimers.delete(path);
    this.#change((texts) => texts.delete(path));
    try {
      localStorage.removeItem(this.#prefix + path);
    } catch {
      // Without browser storage there is nothing to remove.
    }
  }

  /** Drops all edits. */
  dropAll(): void {
    for (const path of [...this.readAll().keys()]) this.drop(path);
  }

  /** Waits until everything that can be sent has been sent. @returns whether the server has everything */
  async flush(): Promise<boolean> {
    for (const [path, { status }] of this.readAll()) {
      if (status !== "waiting" && status !== "sending") continue;
      await this.#sending.running(path);
      if (this.read(path)?.status === "waiting") await this.#send(path);
    }
    return this.readAll().size === 0;
  }

  /** Returns the combined state of all edits, the one that needs the user's attention first. */
  readState = (): SaveState => {
    const all = [...this.readAll().values()];
    if (all.some(({ status }) => status === "conflict")) return "conflict";
    if (all.some(({ status }) => status === "refused")) return "refused";
    if (all.length === 0) return "saved";
    return readConnectivity().isOnline ? "saving" : "offline";
  };

  #sendSoon(path: string, afterMs: number): void {
    clearTimeout(this.#sendTimers.get(path));
    this.#sendTimers.set(
      path,
      setTimeout(() => void this.#send(path), afterMs),
    );
  }

  #send(path: string): Promise<void> {
    clearTimeout(this.#sendTimers.get(path));
    this.#sendTimers.delete(path);
    return this.#sending.join(path, () => this.#sendNow(path));
  }

  async #sendNow(path: string): Promise<void> {
    const sent = this.read(path);
    if (sent?.status !== "waiting") return;
    this.#set(path, { ...sent, status: "sending" });
    try {
      const { oid } = await this.server.write(path, sent.content, sent.baseOid);
      this.server.onSaved(path, sent.content, oid);
      const now = this.read(path);
      if (now === null) return;
      if (now.content === sent.content) return this.drop(path);
      this.#set(path, { ...now, baseOid: oid, status: "waiting", message: null });
      this.#sendSoon(path, SEND_AFTER_MS);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const now = this.read(path);
      if (now === null) return;
      const isPassing = error.status === 0 || error.status === 429 || error.status >= 500;
      if (isPassing) {
        this.#set(path, { ...now, status: "waiting", message: null });
        if (readConnectivity().isOnline) this.#sendSoon(path, AGAIN_AFTER_MS);
      } else if (isAnother(error)) {
        this.#set(path, { ...now, status: "conflict", message: null });
      } else {
        this.#set(path, {
          ...now,
          status: now.content === sent.content ? "refused" : "waiting",
          message: error.message,
        });
        if (now.content !== sent.content) this.#sendSoon(path, SEND_AFTER_MS);
      }
    }
  }

  #set(path: string, text: LocalText): void {
    this.#change((texts) => texts.set(path, text));
    clearTimeout(this.#keepTimers.get(path));
    this.#keepTimers.set(
      path,
      setTimeout(() => this.#keep(path), KEEP_AFTER_MS),
    );
  }

  #keep(path: string): void {
    clearTimeout(this.#keepTimers.get(path));
    this.#keepTimers.delete(path);
    const text = this.read(path);
    if (text === null) return;
    try {
      const { content, baseOid } = text;
      localStorage.setItem(this.#prefix + path, JSON.stringify({ content, baseOid }));
    } catch {
      this.onFull();
    }
  }

  #readKept(): void {
    const kept: [string, LocalText][] = [];
    try {
      for (let i = 0; i < localStorage.length; i++) {
        const key = localStorage.key(i);
        const text = key?.startsWith(this.#prefix) ? parseText(localStorage.getItem(key)) : null;
        if (key && text) kept.push([key.slice(this.#prefix.length), text]);
      }
    } catch {
      // Without browser storage there is nothing to read.
    }
    this.#change((texts) => {
      for (const [path, text] of kept) if (!texts.has(path)) texts.set(path, text);
    });
  }

  #change(change: (texts: Map<string, LocalText>) => void): void {
    const next = new Map(this.readAll());
    change(next);
    this.#texts.setState(next, true);
  }
}

/** Returns whether the server's content differs from the last one seen; null means that it has none. */
function isAnother({ status, details }: ApiError): boolean {
  return status === 409 && typeof details === "object" && details !== null && "oid" in details;
}

function parseText(text: string | null): LocalText | null {
  try {
    const value: unknown = JSON.parse(text ?? "null");
    if (typeof value !== "object" || value === null) return null;
    const { content, baseOid } = value as { content?: unknown; baseOid?: unknown };
    if (typeof content !== "string" || typeof baseOid !== "string") return null;
    return { content, baseOid, status: "waiting", message: null };
  } catch {
    return null;
  }
}
