import { createStore } from "zustand/vanilla";
import { mergeText } from "@/lib/base/text/merge-text";
import { readConnectivity, subscribeConnectivity } from "@/lib/platform/browser/connectivity";
import { ApiError } from "@/lib/platform/browser/request";

/** An unsaved change of a saved console. */
export type LocalDraft = {
  content: string;
  /** Version of the console that the draft is based on. */
  version: number;
  /** The console's text at that version; null if another browser started the draft and the text is not known here. */
  base: string | null;
  /** Time of the server's copy, by its clock; null without one. */
  serverAt: string | null;
  /** Whether the server has this text. */
  isSent: boolean;
};

/** An edited object: a console, or a dashboard as text. */
type Saved = { id: string; content: string; version: number };
/** The server's copy of a draft. `base` is the saved text that it changes, where the server knows it. */
export type ServerDraft = { content: string; version: number; base?: string; updatedAt: string };

/** Requests of the store to the server. */
export type DraftServer = {
  put: (id: string, body: { content: string; version: number; base: string | null }) => Promise<ServerDraft>;
  remove: (consoleId: string) => Promise<unknown>;
};

/** Pause before typed text is stored in this browser; the longer one is before it is sent to the server. */
const KEEP_AFTER_MS = 250;
const SEND_AFTER_MS = 1000;

/**
 * Holds the drafts of one user in one workspace. Each draft is stored in this browser, synchronised with its other
 * tabs, and sent to the server; while the server is unreachable it is queued.
 */
export class DraftStore {
  #drafts = new Map<string, LocalDraft>();
  #dirty: ReadonlySet<string> = new Set();
  readonly #changes = createStore(() => 0);
  #keepTimers = new Map<string, ReturnType<typeof setTimeout>>();
  #sendTimers = new Map<string, ReturnType<typeof setTimeout>>();
  #sending = new Set<string>();
  readonly #prefix: string;

  /**
   * @param server null if drafts stay in this browser
   * @param kind of the edited objects: each kind has separate drafts
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

  /** Returns the consoles with a draft; the same set until it changes. */
  readDirty = (): ReadonlySet<string> => this.#dirty;

  readonly subscribe = this.#changes.subscribe;

  /** Loads the stored drafts and subscribes to other tabs and the network. @returns a function that stops */
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

  /** Writes a console's text on each change. Typing it back to the saved text deletes the draft. */
  write(saved: Saved, content: string): void {
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
   * Updates the draft after a change of its console: a save of the same text deletes it, and edits of other lines are
   * merged into it. A draft whose own lines were changed stays, and is stale.
   */
  observe(saved: Saved): void {
    const draft = this.read(saved.id);
    if (draft === null) return;
    if (draft.content === saved.content) this.drop(saved.id);
    else if (draft.version < saved.version && draft.base !== null) {
      const merged = mergeText(draft.base, draft.content, saved.content);
      if (merged !== null) this.rebase(saved, merged);
    }
  }

  /**
   * Adopts the server's draft. An unsent draft of this browser takes precedence.
   * @returns the server's text if it was replaced by one of this browser; null otherwise
   */
  adopt(saved: Saved, kept: ServerDraft | null): string | null {
    const mine = this.read(saved.id);
    const isNews = kept !== null && kept.updatedAt !== mine?.serverAt;
    let aside: string | null = null;
    if (kept !== null && isNews && (mine === null || mine.isSent)) {
      const base = kept.base ?? (kept.version === saved.version ? saved.content : null);
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
      // It was saved or discarded elsewhere.
      this.#forget(saved.id);
    }
    this.observe(saved);
    return aside;
  }

  /** Bases the draft on another version of its console, after the user has seen the changes in between. */
  rebase(saved: Saved, content: string): void {
    if (content === saved.content) {
      this.drop(saved.id);
      return;
    }
    const serverAt = this.read(saved.id)?.serverAt ?? null;
    this.#set(saved.id, { content, version: saved.version, base: saved.content, serverAt, isSent: false });
    this.#sendSoon(saved.id);
  }

  /** Deletes a draft, here and on the server. */
  drop(consoleId: string): void {
    const before = this.read(consoleId);
    if (before === null) return;
    this.#forget(consoleId);
    if (before.serverAt !== null) this.#removeSent(consoleId);
  }

  /** A draft that stays on the server is equal to the saved text, or older: it is harmless, so a failure is ignored. */
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
      // Without storage there is nothing to remove.
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
      const { content, version, base } = draft;
      const kept = await this.server.put(consoleId, { content, version, base });
      const now = this.read(consoleId);
      if (now === null) this.#removeSent(consoleId);
      else this.#set(consoleId, { ...now, serverAt: kept.updatedAt, isSent: now === draft });
    } catch (error) {
      // It stays here, and is sent with the next change or when the server is back. A deleted console accepts none.
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
      // Without storage there is nothing to read.
    }
    this.#notify();
  }

  #notify(): void {
    const ids = [...this.#drafts.keys()];
    if (ids.length !== this.#dirty.size || ids.some((id) => !this.#dirty.has(id))) this.#dirty = new Set(ids);
    this.#changes.setState((count) => count + 1);
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
