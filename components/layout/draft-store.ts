import { createStore } from "zustand/vanilla";
import { mergeText } from "@/lib/base/text/merge-text";
import { readConnectivity, subscribeConnectivity } from "@/lib/platform/browser/connectivity";
import { ApiError } from "@/lib/platform/browser/request";
import { serverNow } from "@/lib/platform/browser/server-clock";

/** An unsaved change of a saved object. */
export type LocalDraft = {
  content: string;
  /** Version of the object that the draft is based on. */
  version: number;
  /** The object's text at that version; null if another browser started the draft and the text is not known here. */
  base: string | null;
  /** Time of the server's copy, by its clock; null without one. */
  serverAt: string | null;
  /** Whether the server has this text. */
  isSent: boolean;
  /** Text of a request without a response: the server may have it. Null without one. */
  inFlight: string | null;
};

/** An edited object: a console, or a dashboard as text. */
type Saved = { id: string; content: string; version: number };
/** The server's copy of a draft. `base` is the saved text that it changes, where the server knows it. */
export type ServerDraft = { content: string; version: number; base?: string; updatedAt: string };

/** Requests of the store to the server, which answers 409 with its draft if that is not the one of `updatedAt`. */
export type DraftServer = {
  put: (id: string, body: PutDraft) => Promise<ServerDraft>;
  remove: (id: string, updatedAt: string) => Promise<unknown>;
};
export type PutDraft = Pick<LocalDraft, "content" | "version" | "base"> & { updatedAt: string | null };

/** Time of the server's draft, or the text of a request without a response. */
type Known = Pick<LocalDraft, "serverAt" | "inFlight">;
/** A discarded draft that the server may still have. `discardedAt` is an ISO time by the server's clock. */
type Discarded = Known & { discardedAt: string };

/** The outcome of `adopt` if both sides had a draft: the one that is shown, and the other side's text. */
type Adopted = { shown: "mine" | "other"; aside: string };

/** Pause before typed text is stored in this browser; the longer one is before it is sent to the server. */
const KEEP_AFTER_MS = 250;
const SEND_AFTER_MS = 1000;
/** Time for which a discarded text identifies its draft: later, another browser's draft may have the same text. */
const DISCARDED_TEXT_MS = 10 * 60 * 1000;

/**
 * Holds the drafts of one user in one workspace. Each draft is stored in this browser, synchronised with its other
 * tabs, and sent to the server; while the server is unreachable it is queued.
 */
export class DraftStore {
  #drafts = new Map<string, LocalDraft>();
  #dirty: ReadonlySet<string> = new Set();
  /** Drafts of other browsers that the user has to choose from: until then, nothing is sent. */
  #others = new Map<string, ServerDraft>();
  readonly #changes = createStore(() => 0);
  #keepTimers = new Map<string, ReturnType<typeof setTimeout>>();
  #sendTimers = new Map<string, ReturnType<typeof setTimeout>>();
  #sending = new Set<string>();
  #sentCounts = new Map<string, number>();
  readonly #prefix: string;
  readonly #discardedPrefix: string;
  #isReader = false;
  #isStopped = false;

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
    this.#discardedPrefix = `millrace:discarded-${kind}:${userId}:${workspaceId}:`;
  }

  read = (id: string): LocalDraft | null => this.#drafts.get(id) ?? null;

  /** Returns the draft of another browser that differs from this browser's; null without one. */
  readOther = (id: string): ServerDraft | null => this.#others.get(id) ?? null;

  /** Returns how often this page has sent a draft: an answer that was asked for before the last one is too old. */
  countSent = (id: string): number => this.#sentCounts.get(id) ?? 0;

  /** Returns the objects with a draft; the same set until it changes. */
  readDirty = (): ReadonlySet<string> => this.#dirty;

  readonly subscribe = this.#changes.subscribe;

  /**
   * Loads the stored drafts and subscribes to other tabs and the network.
   * @param isReader whether the page only shows drafts: it sends none
   * @param editedId object whose text the page holds itself: another tab's draft is offered, not shown
   * @returns a function that stops
   */
  wake({ isReader = false, editedId }: { isReader?: boolean; editedId?: string } = {}): () => void {
    this.#isReader = isReader;
    this.#isStopped = false;
    this.#readKept();
    const onStorage = (event: StorageEvent) => {
      if (!event.key?.startsWith(this.#prefix)) return;
      const id = event.key.slice(this.#prefix.length);
      const draft = parseDraft(event.newValue);
      if (id === editedId) return this.#onOtherTab(id, draft);
      if (draft) this.#drafts.set(id, draft);
      else this.#drafts.delete(id);
      const other = this.readOther(id);
      // The user has chosen in the other tab.
      if (draft?.serverAt && other !== null && draft.serverAt >= other.updatedAt) this.#others.delete(id);
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
      for (const [id, timer] of [...this.#sendTimers]) {
        clearTimeout(timer);
        void this.#send(id);
      }
      onLeave();
      this.#isStopped = true;
    };
  }

  /** Takes in another tab's draft of a text that this page holds. One that was not sent yet is heard again then. */
  #onOtherTab(id: string, draft: LocalDraft | null): void {
    const isSame = draft !== null && draft.content === this.read(id)?.content;
    if (isSame) this.#drafts.set(id, draft);
    if (isSame || draft === null) this.#setOther(id, null);
    else if (draft.serverAt !== null) this.#setOther(id, toServerDraft(draft, draft.serverAt));
  }

  /** Writes an object's text on each change. Typing it back to the saved text deletes the draft. */
  write(saved: Saved, content: string): void {
    const before = this.read(saved.id);
    if (content === saved.content && (before === null || before.version === saved.version)) {
      this.drop(saved.id);
      return;
    }
    if (before?.content === content) return;
    const { version, base } = before ?? { version: saved.version, base: saved.content };
    this.#set(saved.id, { content, version, base, ...this.#takeKnown(saved.id), isSent: false });
    this.#sendSoon(saved.id);
  }

  /**
   * Updates the draft after a change of its object: a save of the same text deletes it, and edits of other lines are
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
   * Adopts the server's draft. An unsent text of this browser stays, and the server's one is offered by `readOther`.
   * @returns what is shown and what is not, if they differ; null otherwise
   */
  adopt(saved: Saved, kept: ServerDraft | null): Adopted | null {
    const mine = this.read(saved.id);
    const gone = this.#readDiscarded(saved.id);
    const isDiscarded = kept !== null && isDiscardedDraft(gone, kept);
    const stored = isDiscarded ? null : kept;
    if (gone !== null && isDiscarded) void this.#removeSent(saved.id, toSeen(gone, kept));
    // The response of a request in flight needs it.
    else if (gone !== null && !this.#sending.has(saved.id)) this.#keepDiscarded(saved.id, null);
    let adopted: Adopted | null = null;
    if (stored === null) {
      this.#setOther(saved.id, null);
      // It was saved or discarded elsewhere.
      if (mine?.isSent) this.#forget(saved.id);
      else if (mine) this.#sendSoon(saved.id);
    } else if (mine === null) {
      this.#show(saved, stored);
    } else if (isOwn(mine, stored)) {
      this.#accept(saved.id, mine, stored);
    } else if (stored.updatedAt === mine.serverAt) {
      this.#setOther(saved.id, null);
      if (!mine.isSent) this.#sendSoon(saved.id);
    } else if (mine.serverAt === null || stored.updatedAt > mine.serverAt) {
      // Other browsers replace only what they have seen: the server's draft continues the sent one.
      if (mine.isSent) this.#show(saved, stored);
      else this.#setOther(saved.id, stored);
      adopted = mine.isSent ? { shown: "other", aside: mine.content } : { shown: "mine", aside: stored.content };
    }
    this.observe(saved);
    return adopted;
  }

  /**
   * Returns the draft that an editor would show, without adopting it; null without one.
   * @param kept the server's draft; undefined if it is unknown
   */
  preview(id: string, kept: ServerDraft | null | undefined): LocalDraft | null {
    const mine = this.read(id);
    if (kept && mine && isOwn(mine, kept)) return { ...mine, serverAt: kept.updatedAt };
    if (kept === undefined || (mine !== null && !mine.isSent)) return mine;
    return kept === null || isDiscardedDraft(this.#readDiscarded(id), kept) ? null : toLocal(kept, null);
  }

  /** Replaces the other browser's draft by this one's, or deletes it if this browser has none. */
  keepMine(id: string): void {
    const [mine, other] = [this.read(id), this.readOther(id)];
    if (other === null) return;
    this.#setOther(id, null);
    if (mine === null) void this.discard(id, other.updatedAt);
    else this.#accept(id, mine, other);
  }

  /** Shows the other browser's draft instead of this one's. @returns it; null if there is none */
  takeOther(saved: Saved): ServerDraft | null {
    const other = this.readOther(saved.id);
    if (other !== null) this.#show(saved, other);
    return other;
  }

  /** Bases the draft on another version of its object, after the user has seen the changes in between. */
  rebase(saved: Saved, content: string): void {
    if (content === saved.content) {
      this.drop(saved.id);
      return;
    }
    const before = this.read(saved.id);
    if (before?.content === content && before.version === saved.version && before.base === saved.content) return;
    const known = this.#takeKnown(saved.id);
    this.#set(saved.id, { content, version: saved.version, base: saved.content, ...known, isSent: false });
    this.#sendSoon(saved.id);
  }

  /** Deletes a draft, here and on the server, unless another browser has changed it there. */
  drop(id: string): void {
    const before = this.read(id);
    if (before !== null) void this.discard(id, before.serverAt);
  }

  /**
   * Deletes the draft of this browser and the server's one of a time, unless another browser has changed it. Without
   * a connection, the server's one is deleted later, and not adopted until then.
   * @param serverAt time of the server's draft; null without one
   * @returns when the server has answered, or is unreachable
   */
  discard(id: string, serverAt: string | null): Promise<void> {
    const inFlight = this.read(id)?.inFlight ?? null;
    this.#forget(id);
    return this.#removeSent(id, { serverAt, inFlight, discardedAt: new Date(serverNow()).toISOString() });
  }

  async #removeSent(id: string, gone: Discarded): Promise<void> {
    if (this.server === null) return;
    const isStored = gone.serverAt !== null || gone.inFlight !== null;
    this.#keepDiscarded(id, isStored ? gone : null);
    // The response of the request in flight tells the time of its draft.
    if (this.#sending.has(id) || gone.serverAt === null) return;
    try {
      await this.server.remove(id, gone.serverAt);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const current = toCurrent(error);
      // The lost request had arrived.
      if (current !== null && isLost(gone, current)) return this.#removeSent(id, toSeen(gone, current));
      // 404 is a deleted object, and 409 a draft of another browser.
      if (error.status !== 404 && error.status !== 409) return;
    }
    // A change since then has taken it over, or discarded another one.
    if (this.#readDiscarded(id)?.serverAt === gone.serverAt) this.#keepDiscarded(id, null);
  }

  /** Returns what is known of the server's draft that the next text replaces. */
  #takeKnown(id: string): Known {
    const known = this.read(id) ?? this.#readDiscarded(id);
    this.#keepDiscarded(id, null);
    return { serverAt: known?.serverAt ?? null, inFlight: known?.inFlight ?? null };
  }

  #readDiscarded(id: string): Discarded | null {
    const stored = parseObject(readItem(this.#discardedPrefix + id));
    if (stored === null) return null;
    const serverAt = toTextOrNull(stored.serverAt);
    const discardedAt = toTextOrNull(stored.discardedAt) ?? "";
    const isRecent = serverNow() - Date.parse(discardedAt) < DISCARDED_TEXT_MS;
    const inFlight = isRecent ? toTextOrNull(stored.inFlight) : null;
    if (serverAt !== null || inFlight !== null) return { serverAt, inFlight, discardedAt };
    this.#keepDiscarded(id, null);
    return null;
  }

  #keepDiscarded(id: string, gone: Discarded | null): void {
    try {
      if (gone === null) localStorage.removeItem(this.#discardedPrefix + id);
      else localStorage.setItem(this.#discardedPrefix + id, JSON.stringify(gone));
    } catch {
      // Without storage, a draft that could not be deleted is adopted again.
    }
  }

  /** Shows the server's draft. */
  #show(saved: Saved, kept: ServerDraft): void {
    this.#setOther(saved.id, null);
    clearTimeout(this.#sendTimers.get(saved.id));
    this.#sendTimers.delete(saved.id);
    const mine = this.read(saved.id);
    const known = kept.version === saved.version ? saved.content : kept.version === mine?.version ? mine.base : null;
    this.#set(saved.id, toLocal(kept, known));
  }

  /** Notes the server's draft that this browser's one continues, and sends the rest. */
  #accept(id: string, mine: LocalDraft, kept: ServerDraft): void {
    this.#setOther(id, null);
    const isSent = kept.content === mine.content && kept.version === mine.version;
    this.#set(id, { ...mine, serverAt: kept.updatedAt, inFlight: null, isSent });
    if (!isSent) this.#sendSoon(id);
  }

  #setOther(id: string, other: ServerDraft | null): void {
    const before = this.readOther(id);
    if (other === null) this.#others.delete(id);
    else this.#others.set(id, other);
    if (before?.updatedAt !== other?.updatedAt || before?.content !== other?.content) this.#notify();
  }

  #forget(id: string): void {
    clearTimeout(this.#sendTimers.get(id));
    this.#sendTimers.delete(id);
    clearTimeout(this.#keepTimers.get(id));
    this.#keepTimers.delete(id);
    this.#drafts.delete(id);
    try {
      localStorage.removeItem(this.#prefix + id);
    } catch {
      // Without storage there is nothing to remove.
    }
    this.#notify();
  }

  #set(id: string, draft: LocalDraft): void {
    this.#drafts.set(id, draft);
    clearTimeout(this.#keepTimers.get(id));
    this.#keepTimers.set(
      id,
      setTimeout(() => this.#keep(id), KEEP_AFTER_MS),
    );
    this.#notify();
  }

  #keep(id: string): void {
    clearTimeout(this.#keepTimers.get(id));
    this.#keepTimers.delete(id);
    const draft = this.read(id);
    if (draft === null) return;
    try {
      localStorage.setItem(this.#prefix + id, JSON.stringify(draft));
    } catch {
      this.onFull();
    }
  }

  #sendSoon(id: string): void {
    if (this.server === null || this.#isReader || this.#others.has(id)) return;
    clearTimeout(this.#sendTimers.get(id));
    this.#sendTimers.set(
      id,
      setTimeout(() => void this.#send(id), SEND_AFTER_MS),
    );
  }

  #sendWaiting(): void {
    if (!readConnectivity().isOnline) return;
    for (const [id, draft] of this.#drafts) if (!draft.isSent && !this.#sendTimers.has(id)) this.#sendSoon(id);
    for (const key of listKeys(this.#discardedPrefix)) {
      const id = key.slice(this.#discardedPrefix.length);
      const gone = this.#readDiscarded(id);
      if (gone !== null) void this.#removeSent(id, gone);
    }
  }

  async #send(id: string): Promise<void> {
    this.#sendTimers.delete(id);
    const draft = this.read(id);
    if (draft === null || draft.isSent || this.server === null || this.#others.has(id)) return;
    if (this.#sending.has(id)) return this.#sendSoon(id);
    this.#sending.add(id);
    const { content, version, base, serverAt } = draft;
    this.#set(id, { ...draft, inFlight: content });
    try {
      const kept = await this.server.put(id, { content, version, base, updatedAt: serverAt });
      this.#sending.delete(id);
      this.#onStored(id, kept);
    } catch (error) {
      this.#sending.delete(id);
      // It stays here, and is sent with the next change or when the server is back. A deleted object accepts none.
      if (!(error instanceof ApiError)) throw error;
      const current = toCurrent(error);
      if (current !== null && isOwn(draft, current)) this.#onStored(id, current);
      else this.#onFailed(id, isTemporary(error) ? content : draft.inFlight, current);
    }
  }

  /** Notes that the server has a text of this browser. */
  #onStored(id: string, kept: ServerDraft): void {
    this.#sentCounts.set(id, this.countSent(id) + 1);
    const now = this.read(id);
    if (now === null) void this.discard(id, kept.updatedAt);
    // The next page knows the text that was in flight, and may have changed it.
    else if (!this.#isStopped) this.#accept(id, now, kept);
  }

  /**
   * @param inFlight the text that the server may have nevertheless
   * @param current the server's draft, if another one than this browser has seen
   */
  #onFailed(id: string, inFlight: string | null, current: ServerDraft | null): void {
    if (this.#isStopped) return;
    const now = this.read(id);
    if (now === null) {
      const gone = this.#readDiscarded(id);
      if (gone !== null) void this.#removeSent(id, { ...gone, inFlight });
    } else if (current === null || current.updatedAt === now.serverAt) {
      this.#set(id, { ...now, inFlight });
    } else if (isOwn(now, current)) {
      this.#accept(id, now, current);
    } else {
      this.#set(id, { ...now, inFlight });
      this.#setOther(id, current);
    }
  }

  #readKept(): void {
    for (const key of listKeys(this.#prefix)) {
      const draft = parseDraft(readItem(key));
      if (draft) this.#drafts.set(key.slice(this.#prefix.length), draft);
    }
    this.#notify();
  }

  #notify(): void {
    const ids = [...this.#drafts.keys()];
    if (ids.length !== this.#dirty.size || ids.some((id) => !this.#dirty.has(id))) this.#dirty = new Set(ids);
    this.#changes.setState((count) => count + 1);
  }
}

/** @param base the text that the draft changes, if the server does not know it */
function toLocal({ content, version, base, updatedAt }: ServerDraft, known: string | null): LocalDraft {
  return { content, version, base: base ?? known, serverAt: updatedAt, isSent: true, inFlight: null };
}

function toServerDraft({ content, version, base }: LocalDraft, updatedAt: string): ServerDraft {
  return { content, version, updatedAt, ...(base !== null && { base }) };
}

/** Returns the server's draft of a refused request; null for other failures. */
function toCurrent(error: ApiError): ServerDraft | null {
  const current = error.code === "conflict" ? toRecord(toRecord(error.details)?.current) : null;
  const { content, version, base, updatedAt } = current ?? {};
  if (typeof content !== "string" || typeof version !== "number" || typeof updatedAt !== "string") return null;
  return { content, version, updatedAt, ...(typeof base === "string" && { base }) };
}

/** Returns whether a request may succeed, or has succeeded, although it failed. */
function isTemporary({ status }: ApiError): boolean {
  return status === 0 || status >= 500;
}

function parseDraft(text: string | null): LocalDraft | null {
  const { content, version, base, serverAt, isSent, inFlight } = parseObject(text) ?? {};
  if (typeof content !== "string" || typeof version !== "number") return null;
  return {
    content,
    version,
    base: toTextOrNull(base),
    serverAt: toTextOrNull(serverAt),
    isSent: isSent === true,
    inFlight: toTextOrNull(inFlight),
  };
}

function isDiscardedDraft(gone: Discarded | null, kept: ServerDraft): boolean {
  return gone !== null && (kept.updatedAt === gone.serverAt || isLost(gone, kept));
}

/** Returns whether the server's draft is a discarded text whose request had no response. A later draft is another's. */
function isLost({ inFlight, discardedAt }: Discarded, { content, updatedAt }: ServerDraft): boolean {
  return content === inFlight && updatedAt <= discardedAt;
}

/** Returns a discarded draft with the time that the server has told. */
function toSeen(gone: Discarded, { updatedAt }: ServerDraft): Discarded {
  return { ...gone, serverAt: updatedAt, inFlight: null };
}

/** Returns whether the server's draft is a text that this browser sent. */
function isOwn({ content, inFlight }: Pick<LocalDraft, "content" | "inFlight">, kept: ServerDraft): boolean {
  return kept.content === content || kept.content === inFlight;
}

function listKeys(prefix: string): string[] {
  try {
    const keys = Array.from({ length: localStorage.length }, (_, at) => localStorage.key(at));
    return keys.filter((key) => key !== null).filter((key) => key.startsWith(prefix));
  } catch {
    // Without storage there is nothing to read.
    return [];
  }
}

function readItem(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

function parseObject(text: string | null): Record<string, unknown> | null {
  try {
    return toRecord(JSON.parse(text ?? "null"));
  } catch {
    return null;
  }
}

function toRecord(value: unknown): Record<string, unknown> | null {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : null;
}

function toTextOrNull(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}
