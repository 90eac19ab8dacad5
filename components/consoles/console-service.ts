import type { QueryClient } from "@tanstack/react-query";
import { createStore } from "zustand/vanilla";
import type { EditorMemory } from "@/components/consoles/editor-memory";
import type { RunStore } from "@/components/consoles/run-store";
import type { WorkbenchStore } from "@/components/consoles/workbench-store";
import { dropFromFolders, listLoaded, placeInFolders } from "@/components/folders/use-folder-pages";
import type { DraftStore } from "@/components/layout/draft-store";
import { type ItemNews, toItemNews } from "@/components/layout/item-news";
import { announce } from "@/components/ui/live-region";
import { showFailure, showToast } from "@/components/ui/toast";
import { Coalescer } from "@/lib/base/async/coalescer";
import { consoleApi } from "@/lib/features/consoles/browser/client";
import {
  adoptSaved,
  type DraftConsole,
  findConsole,
  findTitle,
  isSavedId,
  setTitle,
} from "@/lib/features/consoles/browser/workbench";
import type { Console, ConsoleSummary, CreateConsoleBody, UpdateConsoleBody } from "@/lib/features/consoles/schema";
import type { Folder as ConsoleFolder, DeletedFolder } from "@/lib/features/folders/schema";
import { readConnectivity, subscribeConnectivity } from "@/lib/platform/browser/connectivity";
import { ApiError } from "@/lib/platform/browser/request";
import type { EventData } from "@/lib/platform/events/schema";

/** Destination of a new console. */
export type ConsolePlace = Pick<Console, "folderId" | "access">;
/** Arguments of a save that waits for the server to be reachable. */
type Later = { message?: string; place?: ConsolePlace };

/** Fields of a console, besides its text, that a user can change. */
export type ConsoleChange = Partial<
  Pick<
    Console,
    "name" | "folderId" | "access" | "connectionId" | "chart" | "variables" | "choices" | "description" | "expect"
  >
>;

/** The latest change of an open console by someone else. */
export type ConsoleNews = ItemNews & {
  /** The text before and after it. */
  before: string;
  after: string;
  /** New path; null if it was not moved. */
  movedTo: string | null;
  /** `merged` into the user's draft, or `aside` of a draft that changed the same lines. */
  effect: "shown" | "merged" | "aside" | "deleted";
};

/** Settings that are changed from the editor and shown before the server has them. */
type Choice = Partial<Pick<Console, "connectionId" | "chart">>;
/** The change in flight, and the one to send after it. */
type Choices = { sent: Choice; next: Choice | null };

type Parts = {
  userId: string;
  workspaceId: string;
  queryClient: QueryClient;
  workbench: WorkbenchStore;
  drafts: DraftStore;
  editors: EditorMemory;
  runs: RunStore;
};

export const toListKey = (workspaceId: string) => ["consoles", workspaceId];
/** Keys of the loaded folders, and of consoles read by id; both begin with that of the list. */
export const toTreeKey = (workspaceId: string) => [...toListKey(workspaceId), "tree"];
export const toLookupKey = (workspaceId: string) => [...toListKey(workspaceId), "lookup"];
export const toConsoleKey = (workspaceId: string, id: string) => ["console", workspaceId, id];
export const toHistoryKey = (workspaceId: string, id: string) => ["console-history", workspaceId, id];

/**
 * Saved consoles as known in this page: reads and changes them, and keeps lists, tabs and drafts consistent. Failures
 * are reported to the user here; the functions then return null.
 */
export class ConsoleService {
  #comparing: ReadonlySet<string> = new Set();
  #saving: ReadonlySet<string> = new Set();
  /** Running saves by console, each with its result. */
  readonly #saves = new Coalescer<string | null>();
  /** Changed settings that are not saved yet, by console. */
  #choices = new Map<string, Choices>();
  /** Consoles to save when the server is reachable, with the arguments of the save. */
  #later = new Map<string, Later>();
  #waiting: ReadonlySet<string> = new Set();
  readonly #news = new Map<string, ConsoleNews>();
  readonly #changes = createStore(() => 0);

  constructor(private readonly parts: Parts) {}

  /** Starts to save queued consoles whenever the server is reachable. @returns a function that stops this */
  wake(): () => void {
    for (const [id, later] of readKept(this.#keptKey)) this.#later.set(id, later);
    this.#noteWaiting();
    const look = () => void this.#saveWaiting();
    const stop = [subscribeConnectivity(look), this.parts.workbench.subscribe(look)];
    look();
    return () => {
      for (const each of stop) each();
    };
  }

  readonly subscribe = this.#changes.subscribe;

  /** Returns the consoles whose two texts are being compared. */
  readComparing = (): ReadonlySet<string> => this.#comparing;

  readSaving = (): ReadonlySet<string> => this.#saving;

  /** Returns the consoles that are queued to be saved. */
  readWaiting = (): ReadonlySet<string> => this.#waiting;

  /** Returns the latest change of an open console by someone else, until the user dismisses it or saves. */
  readNews(id: string): ConsoleNews | null {
    return this.#news.get(id) ?? null;
  }

  dismissNews(id: string): void {
    if (this.#news.delete(id)) this.#notify();
  }

  setComparing(id: string, isComparing: boolean): void {
    this.#comparing = withMember(this.#comparing, id, isComparing);
    this.#notify();
  }

  /** Reads a console, with the user's draft of it. @throws ApiError */
  async load(id: string, signal?: AbortSignal): Promise<Console> {
    const { workspaceId, drafts } = this.parts;
    const sentCount = drafts.countSent(id);
    const [saved, draft] = await Promise.all([
      consoleApi.read(workspaceId, id, signal),
      consoleApi.readDraft(workspaceId, id, signal),
    ]);
    // A draft that was sent during the read is newer than the answer.
    const adopted = drafts.countSent(id) === sentCount ? drafts.adopt(saved, draft) : null;
    if (adopted?.shown === "other") {
      showToast(`${saved.name} shows the draft of another browser.`, {
        id: `aside-${id}`,
        action: { label: "Show this browser's", onClick: () => drafts.write(saved, adopted.aside) },
      });
    }
    this.note(saved, false);
    return saved;
  }

  /**
   * Takes in the server's latest version of a console.
   * @param isCached whether to update the console's own query too
   */
  note(answer: Console, isCached = true): void {
    const { workspaceId, queryClient, drafts, workbench } = this.parts;
    // Settings changed since then are still shown, and are sent next.
    const choices = this.#choices.get(answer.id);
    const saved = { ...answer, ...choices?.sent, ...choices?.next };
    drafts.observe(saved);
    if (this.#news.get(saved.id)?.effect === "deleted") this.dismissNews(saved.id);
    if (isCached) queryClient.setQueryData(toConsoleKey(workspaceId, saved.id), saved);
    const { content: _, chart: __, variables: ___, choices: ____, expect: _____, question: ______, ...summary } = saved;
    placeInFolders(queryClient, toTreeKey(workspaceId), summary);
    queryClient.setQueriesData<ConsoleSummary[]>({ queryKey: toLookupKey(workspaceId) }, (list) =>
      list?.map((each) => (each.id === saved.id ? summary : each)),
    );
    if (workbench.read()?.tabs.includes(saved.id)) workbench.change((each) => setTitle(each, saved.id, saved));
  }

  /** Returns what is known of a console, without its text. */
  find(id: string): ConsoleSummary | null {
    const { workspaceId, queryClient } = this.parts;
    return (
      queryClient.getQueryData<Console>(toConsoleKey(workspaceId, id)) ??
      listLoaded<ConsoleSummary>(queryClient, toTreeKey(workspaceId)).find((each) => each.id === id) ??
      queryClient
        .getQueriesData<ConsoleSummary[]>({ queryKey: toLookupKey(workspaceId) })
        .flatMap(([, list]) => list ?? [])
        .find((each) => each.id === id) ??
      null
    );
  }

  /** Returns the loaded names at the top level of the user's own consoles, which a new one must not take. */
  takenNames(): string[] {
    const { workspaceId, queryClient } = this.parts;
    const list = listLoaded<ConsoleSummary>(queryClient, toTreeKey(workspaceId));
    return list.flatMap(({ folderId, access, name }) => (folderId === null && access === "private" ? [name] : []));
  }

  /**
   * Saves a console's text as a commit. If someone else saved in between, nothing is overwritten: the two texts are
   * shown side by side instead.
   * @param place destination of a console that was never saved; default: the user's own top level
   * @returns the id of the saved console, a new one if it was saved for the first time; null when nothing was saved
   */
  async save(id: string, message?: string, place?: ConsolePlace): Promise<string | null> {
    try {
      return await this.saveOrThrow(id, message, place);
    } catch (error) {
      showApiFailure(error, "Couldn't save.");
      return null;
    }
  }

  /** Saves as `save`, for a form that shows the failure itself. @throws ApiError when the server rejects the console */
  async saveOrThrow(id: string, message?: string, place?: ConsolePlace): Promise<string | null> {
    const under = this.#saves.running(id);
    if (under !== null) {
      // The running save includes neither later edits nor this message. Its caller reports its failure.
      const savedId = await under.catch(() => null);
      return savedId === null ? null : this.saveOrThrow(savedId, message);
    }
    if (this.#saving.has(id)) return null;
    if (!readConnectivity().isOnline) return this.#saveLater(id, { message, place });
    return this.#saves.join(id, () => this.#saveNow(id, { message, place }));
  }

  async #saveNow(id: string, later: Later): Promise<string | null> {
    this.#setSaving(id, true);
    try {
      return isSavedId(id) ? await this.#saveAgain(id, later.message) : await this.#saveFirst(id, later);
    } catch (error) {
      if (error instanceof ApiError && error.code === "unreachable") return this.#saveLater(id, later);
      throw error;
    } finally {
      this.#setSaving(id, false);
    }
  }

  /** Queues a save until the server is reachable. The text itself is kept in this browser while the user types. */
  #saveLater(id: string, { message, place }: Later): null {
    const { drafts } = this.parts;
    if (isSavedId(id) && drafts.read(id) === null) {
      announce("All changes saved");
      return null;
    }
    const before = this.#later.get(id);
    this.#later.set(id, { message: message ?? before?.message, place: place ?? before?.place });
    this.#noteWaiting();
    showToast(`${this.#titleOf(id)} is saved in this browser and will sync when the server is back.`, {
      id: `later-${id}`,
    });
    return null;
  }

  async #saveWaiting(): Promise<void> {
    const { workbench, drafts } = this.parts;
    if (this.#later.size === 0 || !readConnectivity().isOnline || workbench.read() === null) return;
    for (const [id, { message, place }] of [...this.#later]) {
      this.#later.delete(id);
      this.#noteWaiting();
      // It was saved or deleted elsewhere in the meantime.
      if (isSavedId(id) ? drafts.read(id) === null : findConsole(workbench.read() ?? { consoles: [] }, id) === null)
        continue;
      const title = this.#titleOf(id);
      const savedId = await this.save(id, message, place);
      if (savedId === null) continue;
      if (savedId !== id) followMove(id, savedId);
      showToast(`${title} saved`, { id: `later-${id}` });
    }
  }

  #titleOf(id: string): string {
    const workbench = this.parts.workbench.read();
    return (workbench && findTitle(workbench, id)) ?? this.find(id)?.name ?? "The console";
  }

  get #keptKey(): string {
    return `millrace:save-later:${this.parts.userId}:${this.parts.workspaceId}`;
  }

  #noteWaiting(): void {
    this.#waiting = new Set(this.#later.keys());
    try {
      if (this.#later.size === 0) localStorage.removeItem(this.#keptKey);
      else localStorage.setItem(this.#keptKey, JSON.stringify([...this.#later]));
    } catch {
      // If the browser storage is full, only the queued save is lost, not the text.
    }
    this.#notify();
  }

  async #saveFirst(id: string, { message, place }: Later): Promise<string | null> {
    const { workbench } = this.parts;
    const draft = findConsole(workbench.read() ?? { consoles: [] }, id);
    if (draft === null || refuseTooLong(draft.content)) return null;
    const { name, content, connectionId, chart } = draft;
    const saved = await this.#create({ name, content, connectionId, chart, message, ...place });
    this.#adopt(id, draft, saved);
    announce(`${saved.name} saved`);
    return saved.id;
  }

  /** Creates a console on the server, with its first commit. */
  async tryCreate(body: CreateConsoleBody): Promise<Console | null> {
    try {
      return await this.#create(body);
    } catch (error) {
      showApiFailure(error, "Couldn't create the console.");
      return null;
    }
  }

  /** Takes in a change of an open console: it is read again, merged into the draft if possible, and noted as news. */
  async hear(data: EventData): Promise<void> {
    const { resourceId: id, version, deleted } = data;
    const { workspaceId, queryClient, drafts } = this.parts;
    const key = toConsoleKey(workspaceId, id);
    const known = queryClient.getQueryData<Console>(key);
    if (!known) return;
    const change = toItemNews(data, this.parts.userId);
    const before = drafts.read(id)?.base ?? known.content;
    if (deleted === true) {
      // The user's own deletion closes the tab.
      if (!change) return;
      this.#setNews(id, { ...change, before, after: "", movedTo: null, effect: "deleted" });
      // It is answered by a 404 from now on.
      return queryClient.invalidateQueries({ queryKey: key });
    }
    if (typeof version !== "number") return;
    if (known.version >= version) {
      // The text was read before its event, which tells who changed it.
      const shown = this.#news.get(id);
      if (known.version > version || shown?.userId !== null) return;
      return change ? this.#setNews(id, { ...shown, ...change }) : this.dismissNews(id);
    }
    const read = await this.#readNewer(id, version);
    if (read && change) this.#setNews(id, { ...change, ...read });
  }

  /** Reads a console again when events may have been missed. A change found this way has no known author yet. */
  async refresh(id: string): Promise<void> {
    const shown = this.#news.get(id);
    const read = await this.#readNewer(id, null);
    // Its event may have arrived during the read.
    if (this.#news.get(id) !== shown) return;
    if (read && (read.before !== read.after || read.movedTo !== null)) {
      this.#setNews(id, { userId: null, push: null, ...read });
    }
  }

  #setNews(id: string, news: ConsoleNews): void {
    this.#news.set(id, news);
    this.#notify();
  }

  /**
   * Reads a console again.
   * @param version the announced one; null when events may have been missed
   * @returns what changed; null if no version after the known one was found, or if one was saved here during the read
   */
  async #readNewer(id: string, version: number | null): Promise<Omit<ConsoleNews, keyof ItemNews> | null> {
    const { workspaceId, queryClient, drafts } = this.parts;
    const known = () => queryClient.getQueryData<Console>(toConsoleKey(workspaceId, id));
    const shown = known();
    if (!shown) return null;
    const draftBefore = drafts.read(id);
    try {
      const newest = await consoleApi.read(workspaceId, id);
      const current = known()?.version ?? 0;
      if (newest.version > current) this.note(newest);
      if (newest.version < Math.max(current, version ?? 0) || newest.version === shown.version) return null;
      if (this.#saving.has(id)) return null;
      const draft = drafts.read(id);
      const isAside = draft !== null && draft.version < newest.version;
      const isMerged = draft !== null && draftBefore !== null && newest.content !== shown.content;
      return {
        before: draftBefore?.base ?? shown.content,
        after: newest.content,
        movedTo: newest.path === shown.path ? null : newest.path,
        effect: isAside ? "aside" : isMerged ? "merged" : "shown",
      };
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      // It is private now, or deleted.
      if (error.status === 404) void queryClient.invalidateQueries({ queryKey: toConsoleKey(workspaceId, id) });
      return null;
    }
  }

  async #create(body: CreateConsoleBody): Promise<Console> {
    const saved = await consoleApi.create(this.parts.workspaceId, body);
    this.note(saved);
    return saved;
  }

  /** Replaces the unsaved console by the saved one in its tab, editor and results. */
  #adopt(oldId: string, sent: DraftConsole, saved: Console): void {
    const { workbench, drafts, editors, runs } = this.parts;
    const typed = findConsole(workbench.read() ?? { consoles: [] }, oldId)?.content ?? sent.content;
    drafts.write(saved, typed);
    runs.move(oldId, saved.id);
    editors.move(oldId, saved.id);
    workbench.change((each) => adoptSaved(each, oldId, saved, Date.now()));
  }

  async #saveAgain(id: string, message?: string): Promise<string | null> {
    const { workspaceId, drafts, queryClient } = this.parts;
    const draft = drafts.read(id);
    const known = queryClient.getQueryData<Console>(toConsoleKey(workspaceId, id));
    if (draft === null) {
      announce("All changes saved");
      return id;
    }
    if (refuseTooLong(draft.content)) return null;
    if (known && draft.version < known.version) {
      this.setComparing(id, true);
      return null;
    }
    try {
      await this.#put(id, draft.version, draft.content, message);
      return id;
    } catch (error) {
      const current = toCurrent(error);
      if (current === null) throw error;
      this.note(current);
      const now = drafts.read(id);
      if (now === null) return id;
      if (now.version === current.version) {
        await this.#put(id, current.version, now.content, message);
        if (now.content !== draft.content) showToast(`${current.name} saved. Other changes are merged.`);
        return id;
      }
      this.setComparing(id, true);
      return null;
    }
  }

  /** Saves a text over the version it was compared with; if a newer one exists, that is compared next. */
  async resolve(id: string, current: Console, content: string): Promise<boolean> {
    const { drafts } = this.parts;
    if (content === current.content) {
      drafts.drop(id);
      this.setComparing(id, false);
      return true;
    }
    if (refuseTooLong(content)) return false;
    this.#setSaving(id, true);
    try {
      drafts.rebase(current, content);
      await this.#put(id, current.version, content);
      this.setComparing(id, false);
      return true;
    } catch (error) {
      const newer = toCurrent(error);
      if (newer === null) showApiFailure(error, "Couldn't save.");
      else this.note(newer);
      return false;
    } finally {
      this.#setSaving(id, false);
    }
  }

  /** Discards the draft of a console, and shows the saved text. */
  reload(id: string): void {
    const { workspaceId, queryClient, drafts } = this.parts;
    const saved = queryClient.getQueryData<Console>(toConsoleKey(workspaceId, id));
    const draft = drafts.read(id);
    if (!saved || !draft) return;
    drafts.drop(id);
    this.dismissNews(id);
    const { base, version, content } = draft;
    const started = base === null ? saved : { id, version, content: base };
    showToast("Saved version loaded", {
      id: `theirs-${id}`,
      action: { label: "Undo", onClick: () => drafts.rebase(started, content) },
    });
  }

  /** Shows the draft of another browser instead of this browser's one. */
  takeOtherDraft(id: string): void {
    const { workspaceId, queryClient, drafts } = this.parts;
    const saved = queryClient.getQueryData<Console>(toConsoleKey(workspaceId, id));
    const mine = drafts.read(id);
    if (!saved || drafts.takeOther(saved) === null) return;
    drafts.observe(saved);
    if (mine === null) return;
    const { base, version, content } = mine;
    const started = base === null ? saved : { id, version, content: base };
    showToast("Other draft loaded", {
      id: `aside-${id}`,
      action: { label: "Undo", onClick: () => drafts.rebase(started, content) },
    });
  }

  /** Makes a text the draft of a console, based on its latest version. */
  edit(id: string, content: string): void {
    const { workspaceId, queryClient, drafts } = this.parts;
    const saved = queryClient.getQueryData<Console>(toConsoleKey(workspaceId, id));
    if (saved) drafts.rebase(saved, content);
  }

  async #put(id: string, version: number, content: string, message?: string): Promise<void> {
    const { workspaceId, drafts, queryClient } = this.parts;
    const saved = await consoleApi.update(workspaceId, id, { version, content, message });
    const typed = drafts.read(id)?.content ?? content;
    this.note(saved);
    drafts.rebase(saved, typed);
    this.dismissNews(id);
    void queryClient.invalidateQueries({ queryKey: toHistoryKey(workspaceId, id) });
    announce(`${saved.name} saved`);
  }

  /** Renames, moves, shares or reconnects a console. */
  async change(id: string, change: ConsoleChange): Promise<Console | null> {
    const { workspaceId, queryClient } = this.parts;
    try {
      return await this.changeOrThrow(id, change);
    } catch (error) {
      showApiFailure(error, "Couldn't save the change.");
      void queryClient.invalidateQueries({ queryKey: toListKey(workspaceId) });
      return null;
    }
  }

  /**
   * Changes a console as `change` does, for a form that shows the failure itself. Retries if someone else saved it in
   * between.
   * @throws ApiError
   */
  async changeOrThrow(id: string, change: ConsoleChange): Promise<Console> {
    const { workspaceId, queryClient } = this.parts;
    const known = this.find(id) ?? (await this.load(id));
    const saved = await consoleApi.update(workspaceId, id, { version: known.version, ...change }).catch((error) => {
      const current = toCurrent(error);
      if (current === null) throw error;
      return consoleApi.update(workspaceId, id, { version: current.version, ...change });
    });
    this.note(saved);
    void queryClient.invalidateQueries({ queryKey: toHistoryKey(workspaceId, id) });
    return saved;
  }

  /**
   * Saves settings of a saved console. They are shown, and used by the next run, at once; of several quick changes the
   * last one wins. A connection that could not be saved is reverted.
   */
  async choose(id: string, choice: Choice): Promise<void> {
    const { workspaceId, queryClient } = this.parts;
    const key = toConsoleKey(workspaceId, id);
    let kept = queryClient.getQueryData<Console>(key)?.connectionId ?? null;
    const show = (news: Choice) => queryClient.setQueryData<Console>(key, (shown) => shown && { ...shown, ...news });
    show(choice);
    const known = this.#choices.get(id);
    if (known) {
      known.next = { ...known.next, ...choice };
      return;
    }
    const choices: Choices = { sent: choice, next: null };
    this.#choices.set(id, choices);
    let isAsKept = true;
    for (let next: Choice | null = choice; next !== null; next = choices.next) {
      Object.assign(choices, { sent: next, next: null });
      const saved = await this.change(id, next);
      if (saved !== null) kept = saved.connectionId;
      if (next.connectionId !== undefined) isAsKept = saved !== null;
    }
    this.#choices.delete(id);
    if (!isAsKept) show({ connectionId: kept });
  }

  /**
   * Replaces the text of a console by that of its question, and the user's draft of it. If someone else saved in
   * between, nothing is overwritten: their version is taken in.
   */
  async saveQuestion(
    { id, version }: Console,
    change: Pick<UpdateConsoleBody, "content" | "question" | "chart">,
  ): Promise<Console | null> {
    const { workspaceId, drafts, queryClient } = this.parts;
    try {
      const saved = await consoleApi.update(workspaceId, id, { version, ...change });
      drafts.drop(id);
      this.note(saved);
      void queryClient.invalidateQueries({ queryKey: toHistoryKey(workspaceId, id) });
      return saved;
    } catch (error) {
      const current = toCurrent(error);
      if (current !== null) this.note(current);
      showApiFailure(error, "Couldn't save the question.");
      return null;
    }
  }

  async duplicate(id: string): Promise<Console | null> {
    try {
      const copy = await consoleApi.duplicate(this.parts.workspaceId, id);
      this.note(copy);
      return copy;
    } catch (error) {
      showApiFailure(error, "Couldn't duplicate the console.");
      return null;
    }
  }

  /** Deletes a console and the user's draft of it. @returns whether it was deleted */
  async remove(id: string): Promise<boolean> {
    const { workspaceId, queryClient, drafts } = this.parts;
    try {
      await consoleApi.remove(workspaceId, id);
      drafts.drop(id);
      dropFromFolders(queryClient, toTreeKey(workspaceId), id);
      queryClient.removeQueries({ queryKey: toConsoleKey(workspaceId, id) });
      return true;
    } catch (error) {
      showApiFailure(error, "Couldn't delete the console.");
      return false;
    }
  }

  /** Restores a deleted console. @param folderId destination; default: its old folder; null is the top level */
  async undelete(id: string, folderId?: string | null): Promise<Console | null> {
    try {
      const saved = await consoleApi.undelete(this.parts.workspaceId, id, folderId);
      this.note(saved);
      return saved;
    } catch (error) {
      showApiFailure(error, "Couldn't restore the console.");
      return null;
    }
  }

  /** Restores the text of an older commit. A draft stays, and is compared when it is saved. */
  async restoreVersion(id: string, sha: string): Promise<Console | null> {
    const { workspaceId, queryClient } = this.parts;
    try {
      const saved = await consoleApi.restoreVersion(workspaceId, id, sha);
      this.note(saved);
      await queryClient.invalidateQueries({ queryKey: toHistoryKey(workspaceId, id) });
      return saved;
    } catch (error) {
      showApiFailure(error, "Couldn't restore the version.");
      return null;
    }
  }

  async createFolder(body: {
    name: string;
    parentId: string | null;
    access: Console["access"];
  }): Promise<ConsoleFolder | null> {
    return this.#withFolders("Couldn't create the folder.", () =>
      consoleApi.createFolder(this.parts.workspaceId, body),
    );
  }

  async changeFolder(
    id: string,
    change: Partial<Pick<ConsoleFolder, "name" | "parentId" | "access">>,
  ): Promise<ConsoleFolder | null> {
    return this.#withFolders("Couldn't save the change.", () =>
      consoleApi.updateFolder(this.parts.workspaceId, id, change),
    );
  }

  /** Deletes a folder with its consoles. @returns what was deleted; null after a failure */
  async removeFolder(id: string): Promise<DeletedFolder | null> {
    return this.#withFolders("Couldn't delete the folder.", () => consoleApi.removeFolder(this.parts.workspaceId, id));
  }

  /** Runs a change of folders, which also moves their consoles. The list and the open consoles are read again. */
  async #withFolders<T>(failure: string, work: () => Promise<T>): Promise<T | null> {
    const { workspaceId, queryClient } = this.parts;
    let result: T | null = null;
    try {
      result = await work();
    } catch (error) {
      showApiFailure(error, failure);
    }
    await queryClient.invalidateQueries({ queryKey: toListKey(workspaceId) });
    void queryClient.invalidateQueries({ queryKey: ["console", workspaceId] });
    return result;
  }

  #setSaving(id: string, isSaving: boolean): void {
    this.#saving = withMember(this.#saving, id, isSaving);
    this.#notify();
  }

  #notify(): void {
    this.#changes.setState((count) => count + 1);
  }
}

/** Returns the saves that were queued when the page was closed. */
function readKept(key: string): [string, Later][] {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(key) ?? "[]");
    if (!Array.isArray(value)) return [];
    return value.filter(
      (each): each is [string, Later] =>
        Array.isArray(each) && typeof each[0] === "string" && typeof each[1] === "object" && each[1] !== null,
    );
  } catch {
    return [];
  }
}

/** Replaces the address of a console that was unsaved until now by its new one. */
function followMove(from: string, to: string): void {
  const { pathname, search } = window.location;
  const address = `/consoles/${encodeURIComponent(from)}`;
  if (!pathname.endsWith(address)) return;
  window.history.replaceState(null, "", `${pathname.slice(0, -address.length)}/consoles/${to}${search}`);
}

/** Returns the server's version of the console when a save was refused as stale (docs/develop/api.md, Consoles). */
function toCurrent(error: unknown): Console | null {
  if (!(error instanceof ApiError) || error.code !== "conflict") return null;
  const { details } = error;
  if (typeof details !== "object" || details === null || !("current" in details)) return null;
  return details.current as Console;
}

/**
 * Requests are limited to 1 MiB (docs/develop/api.md, Common rules); besides the text, one holds a message of up to
 * 5,000 characters.
 */
const TEXT_BYTES_MAX = 1024 * 1024 - 24 * 1024;

/** Refuses texts that no request can carry: the server would close the connection without an error message. */
function refuseTooLong(content: string): boolean {
  // A character takes at most six bytes, as an escape.
  if (content.length * 6 < TEXT_BYTES_MAX) return false;
  if (new Blob([JSON.stringify(content)]).size <= TEXT_BYTES_MAX) return false;
  showFailure("Couldn't save. Consoles are limited to about 1 MiB. Move some text to another console.");
  return true;
}

function showApiFailure(error: unknown, effect: string): void {
  if (!(error instanceof ApiError)) throw error;
  showFailure(`${effect} ${error.message}`);
}

function withMember(set: ReadonlySet<string>, id: string, isIn: boolean): ReadonlySet<string> {
  if (set.has(id) === isIn) return set;
  const next = new Set(set);
  if (isIn) next.add(id);
  else next.delete(id);
  return next;
}
