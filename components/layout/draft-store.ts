import type { Console, ConsoleDraft } from "@/lib/features/consoles/browser/client";
import { readConnectivity, subscribeConnectivity } from "@/lib/platform/browser/connectivity";
import { ApiError } from "@/lib/platform/browser/request";

/** What was typed in a saved console and not saved. */
export type LocalDraft = {
  content: string;
  /** The version of the console that it was begun on. */
  version: number;
  /** The console's text at that version; null when another browser began the draft and it is not known here. */
  base: string | null;
  /** The server's own time of the copy that it has, as it wrote it; null while it has none. */
  serverAt: string | null;
  /** The server has this very text. */
  isSent: boolean;
};

/** What the store asks of the server. */
export type DraftServer = {
  put: (consoleId: string, body: { content: string; version: number }) => Promise<ConsoleDraft>;
  remove: (consoleId: string) => Promise<unknown>;
};

/** Typing is kept in this browser after this pause, and sent to the server after the longer one. */
const KEEP_AFTER_MS = 250;
const SEND_AFTER_MS = 1000;

/**
 * Holds what one person has typed in the consoles of one workspace. Each text is kept in this browser, followed in its
 * other tabs, and sent to the server as a draft; while the server is away it waits.
 */
export class DraftStore {
  #drafts = new Map<string, LocalDraft>();
  #dirty: ReadonlySet<string> = new Set();
  #listeners = new Set<() => void>();
  #keepTimers = new Map<string, ReturnType<typeof setTimeout>>();
  #sendTimers = new Map<string, ReturnType<typeof setTimeout>>();
  #sending = new Set<string>();
  readonly #prefix: string;

  /**
   * @param server null where drafts stay in this browser
   * @param kind of what is typed in: each has drafts of its own
   */
  constructor(
    userId: string,
    workspaceId: string,
    private readonly server: DraftServer | null,
    private readonly onFull: () => void,
    kind: "draft" | "dashboard-draft" = "draft",
  ) {
    this.#prefix = `millrace:${kind}:${userId}:${workspaceId}:`;
  }

  read = (consoleId: string): LocalDraft | null => this.#drafts.get(consoleId) ?? null;

  /** The consoles with a draft; the same set until that changes. */
  readDirty = (): ReadonlySet<string> => this.#dirty;

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Reads what was kept and begins to follow other tabs and the network. @returns how to stop */
  wake(): () => void {
    this.#readKept();
    const onStorage = (event: StorageEvent) => {
      if (!event.key?.startsWith(this.#prefix)) return;
      const id = event.key.slice(this.#prefix.length);
      const draft = parseDraft(event.newValue);
      if (draft) this.#drafts.set(id, draft);
      else this.#drafts.delete(id);
      this.#notify();
    };
    const onLeave = () => {
      for (const id of [...this.#keepTimers.keys()]) this.#keep(id);
    };
    const stopFollowing = subscribeConnectivity(() => this.#sendWaiting());
    addEventListener("storage", onStorage);
    addEventListener("pagehide", onLeave);
    document.addEventListener("visibilitychange", onLeave);
    this.#sendWaiting();
    return () => {
      stopFollowing();
      removeEventListener("storage", onStorage);
      removeEventListener("pagehide", onLeave);
      document.removeEventListener("visibilitychange", onLeave);
      onLeave();
      for (const timer of this.#sendTimers.values()) clearTimeout(timer);
      this.#sendTimers.clear();
    };
  }

  /** The text of a console as it is typed; typing it back to what is saved ends the draft. */
  write(saved: Pick<Console, "id" | "content" | "version">, content: string): void {
    const before = this.read(saved.id);
    if (content === saved.content && (before === null || before.version === saved.version)) {
      this.drop(saved.id);
      return;
    }
    if (before?.content === content) return;
    const { version, base } = before ?? { version: saved.version, base: saved.content };
    this.#set(saved.id, { content, version, base, serverAt: before?.serverAt ?? null, isSent: false });
    this.#sendSoon(saved.id);
  }

  /**
   * Fits the draft to what is known of its console now: a save of the same text ends it, and one that left the text as
   * the draft had found it (a rename, a move) does not make it stale.
   */
  observe(saved: Pick<Console, "id" | "content" | "version">): void {
    const draft = this.read(saved.id);
    if (draft === null) return;
    if (draft.content === saved.content) this.drop(saved.id);
    else if (draft.version < saved.version && draft.base === saved.content) {
      this.#set(saved.id, { ...draft, version: saved.version, isSent: false });
      this.#sendSoon(saved.id);
    }
  }

  /**
   * Takes in the draft that the server has. One of this browser that was not sent counts more.
   * @returns the server's text when it was put aside for one of this browser; null when nothing was
   */
  adopt(saved: Pick<Console, "id" | "content" | "version">, kept: ConsoleDraft | null): string | null {
    const mine = this.read(saved.id);
    const isNews = kept !== null && kept.updatedAt !== mine?.serverAt;
    let aside: string | null = null;
    if (kept !== null && isNews && (mine === null || mine.isSent)) {
      const base = kept.version === saved.version ? saved.content : null;
      this.#set(saved.id, {
        content: kept.content,
        version: kept.version,
        base,
        serverAt: kept.updatedAt,
        isSent: true,
      });
    } else if (kept !== null && isNews && mine?.serverAt && mine.content !== kept.content) {
      aside = kept.content;
    } else if (kept === null && mine?.isSent) {
      // It was saved or given up elsewhere.
      this.#forget(saved.id);
    }
    this.observe(saved);
    return aside;
  }

  /** The draft goes on from another version of its console: what was between them has been looked at. */
  rebase(saved: Pick<Console, "id" | "content" | "version">, content: string): void {
    if (content === saved.content) {
      this.drop(saved.id);
      return;
    }
    const serverAt = this.read(saved.id)?.serverAt ?? null;
    this.#set(saved.id, { content, version: saved.version, base: saved.content, serverAt, isSent: false });
    this.#sendSoon(saved.id);
  }

  /** Ends a draft, here and on the server. */
  drop(consoleId: string): void {
    const before = this.read(consoleId);
    if (before === null) return;
    this.#forget(consoleId);
    if (before.serverAt !== null) this.#removeSent(consoleId);
  }

  /** A draft that stays on the server is equal to what was saved, or older: it does no harm, so nobody is told. */
  #removeSent(consoleId: string): void {
    void this.server?.remove(consoleId).catch(() => {});
  }

  #forget(consoleId: string): void {
    clearTimeout(this.#sendTimers.get(consoleId));
    this.#sendTimers.delete(consoleId);
    clearTimeout(this.#keepTimers.get(consoleId));
    this.#keepTimers.delete(consoleId);
    this.#drafts.delete(consoleId);
    try {
      localStorage.removeItem(this.#prefix + consoleId);
    } catch {
      // Without a store there is nothing to remove.
    }
    this.#notify();
  }

  #set(consoleId: string, draft: LocalDraft): void {
    this.#drafts.set(consoleId, draft);
    clearTimeout(this.#keepTimers.get(consoleId));
    this.#keepTimers.set(
      consoleId,
      setTimeout(() => this.#keep(consoleId), KEEP_AFTER_MS),
    );
    this.#notify();
  }

  #keep(consoleId: string): void {
    clearTimeout(this.#keepTimers.get(consoleId));
    this.#keepTimers.delete(consoleId);
    const draft = this.read(consoleId);
    if (draft === null) return;
    try {
      localStorage.setItem(this.#prefix + consoleId, JSON.stringify(draft));
    } catch {
      this.onFull();
    }
  }

  #sendSoon(consoleId: string): void {
    if (this.server === null) return;
    clearTimeout(this.#sendTimers.get(consoleId));
    this.#sendTimers.set(
      consoleId,
      setTimeout(() => void this.#send(consoleId), SEND_AFTER_MS),
    );
  }

  #sendWaiting(): void {
    if (!readConnectivity().isOnline) return;
    for (const [id, draft] of this.#drafts) if (!draft.isSent && !this.#sendTimers.has(id)) this.#sendSoon(id);
  }

  async #send(consoleId: string): Promise<void> {
    this.#sendTimers.delete(consoleId);
    const draft = this.read(consoleId);
    if (draft === null || draft.isSent || this.server === null) return;
    if (this.#sending.has(consoleId)) return this.#sendSoon(consoleId);
    this.#sending.add(consoleId);
    try {
      const { content, version } = draft;
      const kept = await this.server.put(consoleId, { content, version });
      const now = this.read(consoleId);
      if (now === null) this.#removeSent(consoleId);
      else this.#set(consoleId, { ...now, serverAt: kept.updatedAt, isSent: now === draft });
    } catch (error) {
      // It stays here and goes with the next change or when the server is back; a console that is gone takes none.
      if (!(error instanceof ApiError)) throw error;
    } finally {
      this.#sending.delete(consoleId);
    }
  }

  #readKept(): void {
    try {
      for (let i = 0; i < localStorage.length; i++) {
        const key = localStorage.key(i);
        const draft = key?.startsWith(this.#prefix) ? parseDraft(localStorage.getItem(key)) : null;
        if (key && draft) this.#drafts.set(key.slice(this.#prefix.length), draft);
      }
    } catch {
      // Without a store there is nothing to read.
    }
    this.#notify();
  }

  #notify(): void {
    const ids = [...this.#drafts.keys()];
    if (ids.length !== this.#dirty.size || ids.some((id) => !this.#dirty.has(id))) this.#dirty = new Set(ids);
    for (const listener of this.#listeners) listener();
  }
}

function parseDraft(text: string | null): LocalDraft | null {
  try {
    const value: unknown = JSON.parse(text ?? "null");
    if (typeof value !== "object" || value === null) return null;
    const { content, version, base, serverAt, isSent } = value as Partial<Record<keyof LocalDraft, unknown>>;
    if (typeof content !== "string" || typeof version !== "number") return null;
    return {
      content,
      version,
      base: typeof base === "string" ? base : null,
      serverAt: typeof serverAt === "string" ? serverAt : null,
      isSent: isSent === true,
    };
  } catch {
    return null;
  }
}
