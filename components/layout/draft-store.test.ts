import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type DraftServer, DraftStore, type ServerDraft } from "@/components/layout/draft-store";
import type { ConsoleDraft } from "@/lib/features/consoles/schema";
import { reportReachable, reportUnreachable } from "@/lib/platform/browser/connectivity";
import { ApiError, send } from "@/lib/platform/browser/request";
import { noteServerTime } from "@/lib/platform/browser/server-clock";

const saved = { id: "c".repeat(24), content: "select 1", version: 3 };
const KEY = `millrace:draft:u:w:${saved.id}`;
let kept: Map<string, string>;
let page: EventTarget;
let sent: { content: string; version: number }[];
let removed: number;
let answer: () => Promise<void>;

/** Returns the server's answer to a draft: the same text with the server's time. */
const draftOf = (content: string, version: number, updatedAt: string): ConsoleDraft => ({
  consoleId: saved.id,
  content,
  version,
  updatedAt,
});

function makeStore(onFull = () => {}) {
  const store = new DraftStore(
    "u",
    "w",
    {
      put: async (_, body) => {
        await answer();
        sent.push({ content: body.content, version: body.version });
        return draftOf(body.content, body.version, `t${sent.length}`);
      },
      remove: async () => {
        removed++;
      },
    },
    onFull,
  );
  store.wake();
  return store;
}

beforeEach(() => {
  vi.useFakeTimers();
  kept = new Map();
  page = new EventTarget();
  sent = [];
  removed = 0;
  answer = () => Promise.resolve();
  vi.stubGlobal("localStorage", {
    get length() {
      return kept.size;
    },
    key: (at: number) => [...kept.keys()][at] ?? null,
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, text: string) => kept.set(key, text),
    removeItem: (key: string) => kept.delete(key),
  });
  vi.stubGlobal("addEventListener", page.addEventListener.bind(page));
  vi.stubGlobal("removeEventListener", page.removeEventListener.bind(page));
  vi.stubGlobal("document", new EventTarget());
});
afterEach(() => {
  reportReachable();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

describe("DraftStore", () => {
  it("stores typing in the browser at once and sends it after a pause", async () => {
    const store = makeStore();
    store.write(saved, "select 2");
    store.write(saved, "select 23");
    await vi.advanceTimersByTimeAsync(300);
    expect(JSON.parse(kept.get(KEY) ?? "")).toMatchObject({ content: "select 23", version: 3, isSent: false });
    expect(sent).toEqual([]);
    await vi.advanceTimersByTimeAsync(1500);
    expect(sent).toEqual([{ content: "select 23", version: 3 }]);
    expect(store.read(saved.id)).toMatchObject({ isSent: true, serverAt: "t1" });
  });

  it("keeps the latest typing when the page is left, for the next one", () => {
    makeStore().write(saved, "select 2");
    page.dispatchEvent(new Event("pagehide"));
    expect(makeStore().read(saved.id)?.content).toBe("select 2");
  });

  it("deletes the draft when the text equals the saved one, on the server too", async () => {
    const store = makeStore();
    store.write(saved, "select 2");
    await vi.advanceTimersByTimeAsync(2000);
    store.write(saved, "select 1");
    expect(store.read(saved.id)).toBeNull();
    expect(store.readDirty().size).toBe(0);
    expect(removed).toBe(1);
    expect(kept.has(KEY)).toBe(false);
  });

  it("deletes a draft from the server that ended while it was sent", async () => {
    let arrive = () => {};
    answer = () => new Promise((resolve) => { arrive = resolve; }); // biome-ignore format: one thought
    const store = makeStore();
    store.write(saved, "select 2");
    await vi.advanceTimersByTimeAsync(1100);
    store.drop(saved.id);
    expect(removed).toBe(0);
    arrive();
    await vi.advanceTimersByTimeAsync(10);
    expect(removed).toBe(1);
  });

  it("waits while the server is away and sends later", async () => {
    answer = () => Promise.reject(new ApiError(0, "unreachable", "The server did not answer."));
    const store = makeStore();
    store.write(saved, "select 2");
    await vi.advanceTimersByTimeAsync(1100);
    reportUnreachable();
    await vi.advanceTimersByTimeAsync(20_000);
    expect(store.read(saved.id)).toMatchObject({ content: "select 2", isSent: false });
    answer = () => Promise.resolve();
    reportReachable();
    await vi.advanceTimersByTimeAsync(1100);
    expect(sent).toEqual([{ content: "select 2", version: 3 }]);
  });

  it("moves to a new version that only changed name or place", () => {
    const store = makeStore();
    store.write(saved, "select 2");
    store.observe({ ...saved, version: 4 });
    expect(store.read(saved.id)).toMatchObject({ content: "select 2", version: 4 });
  });

  it("stays on its version if someone saved another text, so that saving compares", () => {
    const store = makeStore();
    store.write(saved, "select 2");
    store.observe({ ...saved, content: "select 9", version: 4 });
    expect(store.read(saved.id)).toMatchObject({ content: "select 2", version: 3 });
  });

  it("stays on its version during a merge, until rebased", () => {
    const store = makeStore();
    store.write(saved, "select 2");
    const theirs = { ...saved, content: "select 9", version: 4 };
    store.observe(theirs);
    store.write(theirs, "select 29");
    expect(store.read(saved.id)).toMatchObject({ content: "select 29", version: 3 });
    store.rebase(theirs, "select 29");
    expect(store.read(saved.id)).toMatchObject({ content: "select 29", version: 4, base: "select 9" });
  });

  it("merges the draft of another browser", () => {
    const store = makeStore();
    expect(store.adopt(saved, draftOf("select 7", 3, "t9"))).toBeNull();
    expect(store.read(saved.id)).toMatchObject({ content: "select 7", version: 3, isSent: true });
  });

  it("drops a draft that was saved or discarded elsewhere", async () => {
    const store = makeStore();
    store.write(saved, "select 2");
    await vi.advanceTimersByTimeAsync(2000);
    store.adopt(saved, null);
    expect(store.read(saved.id)).toBeNull();
  });

  it("shows its own text, and offers the other browser's", async () => {
    const store = makeStore();
    store.write(saved, "select 2");
    await vi.advanceTimersByTimeAsync(2000);
    store.write(saved, "select 22");
    expect(store.adopt(saved, draftOf("select 7", 3, "t9"))).toEqual({ shown: "mine", aside: "select 7" });
    expect(store.read(saved.id)?.content).toBe("select 22");
    expect(store.readOther(saved.id)?.content).toBe("select 7");
  });

  it("follows typing in another tab of the browser", () => {
    const store = makeStore();
    const heard = vi.fn();
    store.subscribe(heard);
    const newValue = JSON.stringify({ content: "select 5", version: 3, base: null, serverAt: null, isSent: false });
    page.dispatchEvent(Object.assign(new Event("storage"), { key: KEY, newValue }));
    expect(store.read(saved.id)?.content).toBe("select 5");
    page.dispatchEvent(Object.assign(new Event("storage"), { key: KEY, newValue: null }));
    expect(store.read(saved.id)).toBeNull();
    expect(heard).toHaveBeenCalledTimes(2);
  });

  it("reports full browser storage, and continues", async () => {
    const onFull = vi.fn();
    const store = makeStore(onFull);
    vi.stubGlobal("localStorage", { setItem: () => { throw new DOMException("Full", "QuotaExceededError"); } }); // biome-ignore format: one thought
    store.write(saved, "select 2");
    await vi.advanceTimersByTimeAsync(300);
    expect(onFull).toHaveBeenCalledOnce();
    expect(store.read(saved.id)?.content).toBe("select 2");
  });
});

describe("a draft of another kind, without a server", () => {
  it("is stored locally, apart from those of consoles", async () => {
    const store = new DraftStore("u", "w", null, () => {}, "dashboard-draft");
    store.wake();
    store.write(saved, "select 2");
    await vi.advanceTimersByTimeAsync(5000);
    expect([...kept.keys()]).toEqual([`millrace:dashboard-draft:u:w:${saved.id}`]);
    expect(sent).toEqual([]);
    const again = new DraftStore("u", "w", null, () => {}, "dashboard-draft");
    again.wake();
    expect(again.read(saved.id)).toMatchObject({ content: "select 2", version: 3, base: "select 1" });
    expect(makeStore().read(saved.id)).toBeNull();
    again.drop(saved.id);
    expect(kept.size).toBe(0);
    expect(removed).toBe(0);
  });
});

describe("browsers of one user", () => {
  /** The server's draft, and the failure of its next answers. A lost answer is one to a request that it has handled. */
  let stored: ServerDraft | null;
  let failure: { status: number; isLost: boolean } | null;
  let stops: (() => void)[];
  /** Time by which the server's clock is ahead of the browsers'. */
  let aheadMs: number;

  beforeEach(() => {
    [stored, failure, stops, aheadMs] = [null, null, [], 0];
  });
  afterEach(() => {
    for (const stop of stops) stop();
    noteServerTime(new Date().toUTCString());
  });

  const answerWith = <T>(handle: () => T): T => {
    const now = failure;
    if (now !== null && !now.isLost) throw new ApiError(now.status, "unavailable", "Try again.");
    const answered = handle();
    if (now !== null) throw ApiError.unreachable();
    return answered;
  };
  const server: DraftServer = {
    put: async (_, { updatedAt, base, ...body }) =>
      answerWith(() => {
        if (stored !== null && stored.updatedAt !== updatedAt) throw conflict();
        const now = new Date(Date.now() + aheadMs).toISOString();
        stored = { ...body, ...(base !== null && { base }), updatedAt: now };
        return stored;
      }),
    remove: async (_, updatedAt) =>
      answerWith(() => {
        if (stored !== null && stored.updatedAt !== updatedAt) throw conflict();
        stored = null;
      }),
  };
  const conflict = () => new ApiError(409, "conflict", "Changed.", { current: stored });
  const settle = () => vi.advanceTimersByTimeAsync(3000);

  /** Opens the page in a browser, each of which has its own storage. */
  function open(browser: string, options: Parameters<DraftStore["wake"]>[0] = {}): DraftStore {
    const store = new DraftStore(browser, "w", server, () => {}, "dashboard-draft");
    stops.push(store.wake(options));
    return store;
  }

  function keepUnsent(browser: string, content: string): void {
    const draft = { content, version: 3, base: "select 1", serverAt: null, isSent: false };
    kept.set(`millrace:dashboard-draft:${browser}:w:${saved.id}`, JSON.stringify(draft));
  }

  it("keeps both drafts until the user chooses, if one was never sent", async () => {
    const desktop = open("desktop");
    desktop.write(saved, "select 'desktop'");
    await settle();
    keepUnsent("laptop", "select 'laptop'");
    const laptop = open("laptop");
    await settle();
    laptop.write(saved, "select 'laptop', 2");
    await settle();
    expect(stored?.content).toBe("select 'desktop'");
    expect(laptop.read(saved.id)?.content).toBe("select 'laptop', 2");
    expect(laptop.readOther(saved.id)).toEqual(stored);
    expect(laptop.adopt(saved, stored)).toEqual({ shown: "mine", aside: "select 'desktop'" });
    laptop.keepMine(saved.id);
    await settle();
    expect(stored?.content).toBe("select 'laptop', 2");
    expect(laptop.readOther(saved.id)).toBeNull();
    // Nothing waits in the other browser, so it continues the chosen one, and tells so.
    expect(desktop.adopt(saved, stored)).toEqual({ shown: "other", aside: "select 'desktop'" });
    expect(desktop.read(saved.id)).toMatchObject({ content: "select 'laptop', 2", base: "select 1", isSent: true });
  });

  it("refuses the second of two open editors, which then continues the first one's draft", async () => {
    const [desktop, laptop] = [open("desktop"), open("laptop")];
    desktop.write(saved, "select 'desktop'");
    await settle();
    laptop.adopt(saved, stored);
    laptop.write(saved, "select 'laptop'");
    desktop.write(saved, "select 'desktop', 2");
    await vi.advanceTimersByTimeAsync(500);
    laptop.write(saved, "select 'laptop', 2");
    await settle();
    expect(stored?.content).toBe("select 'desktop', 2");
    expect(laptop.takeOther(saved)).toEqual(stored);
    expect(laptop.read(saved.id)).toMatchObject({ content: "select 'desktop', 2", isSent: true });
    laptop.write(saved, "select 'both'");
    await settle();
    expect(stored?.content).toBe("select 'both'");
    expect(laptop.readOther(saved.id)).toBeNull();
  });

  it("keeps the text that an editor holds, and offers the one of another tab", async () => {
    const tabs = [open("laptop", { editedId: saved.id }), open("laptop", { editedId: saved.id })] as const;
    const key = `millrace:dashboard-draft:laptop:w:${saved.id}`;
    tabs[0].write(saved, "select 'first'");
    await settle();
    const hear = () =>
      page.dispatchEvent(Object.assign(new Event("storage"), { key, newValue: kept.get(key) ?? null }));
    hear();
    expect([tabs[1].read(saved.id), tabs[1].readOther(saved.id)]).toEqual([null, stored]);
    tabs[1].write(saved, "select 'second'");
    await settle();
    expect(stored?.content).toBe("select 'first'");
    tabs[1].keepMine(saved.id);
    await settle();
    expect(stored?.content).toBe("select 'second'");
    hear();
    expect(tabs[0].read(saved.id)?.content).toBe("select 'first'");
    expect(tabs[0].readOther(saved.id)).toEqual(stored);
    expect(tabs[0].takeOther(saved)?.content).toBe("select 'second'");
  });

  it("replaces no draft that could not be read", async () => {
    open("desktop").write(saved, "select 'desktop'");
    await settle();
    const laptop = open("laptop");
    laptop.write(saved, "select 'laptop'");
    await settle();
    expect(stored?.content).toBe("select 'desktop'");
    expect(laptop.readOther(saved.id)).toEqual(stored);
    // Its own changes are undone, and the other ones are discarded.
    laptop.write(saved, saved.content);
    await settle();
    expect(stored?.content).toBe("select 'desktop'");
    laptop.keepMine(saved.id);
    await settle();
    expect(stored).toBeNull();
  });

  it("sends nothing from a page that only shows drafts", async () => {
    keepUnsent("laptop", "select 'laptop'");
    const view = open("laptop", { isReader: true });
    await settle();
    reportUnreachable();
    reportReachable();
    await settle();
    expect(stored).toBeNull();
    expect(view.preview(saved.id, null)?.content).toBe("select 'laptop'");
  });

  it.each([
    { name: "the same text", more: null },
    { name: "a longer text", more: "select 'laptop', 2" },
  ])("sees its own draft, not another one, after a lost response: $name", async ({ more }) => {
    const before = open("laptop");
    failure = { status: 0, isLost: true };
    before.write(saved, "select 'laptop'");
    await settle();
    if (more !== null) before.write(saved, more);
    page.dispatchEvent(new Event("pagehide"));
    failure = null;
    const laptop = open("laptop");
    await settle();
    expect(laptop.readOther(saved.id)).toBeNull();
    expect(stored?.content).toBe(more ?? "select 'laptop'");
    expect(laptop.read(saved.id)).toMatchObject({ serverAt: stored?.updatedAt, isSent: true, inFlight: null });
  });

  it("sends the last change when the editor is left", async () => {
    open("laptop").write(saved, "select 'laptop'");
    for (const stop of stops) stop();
    await settle();
    expect(stored?.content).toBe("select 'laptop'");
    const again = open("laptop");
    expect(again.adopt(saved, stored)).toBeNull();
    expect(again.read(saved.id)).toMatchObject({ serverAt: stored?.updatedAt, isSent: true });
  });

  it.each([
    { status: 503, isLost: false },
    { status: 0, isLost: true },
  ])("does not bring back a discarded draft that could not be deleted: %o", async (fault) => {
    const laptop = open("laptop");
    laptop.write(saved, "select 'laptop'");
    await settle();
    const before = stored;
    failure = fault;
    laptop.drop(saved.id);
    await settle();
    const again = open("laptop");
    expect(again.preview(saved.id, before)).toBeNull();
    expect(again.adopt(saved, before)).toBeNull();
    expect(again.read(saved.id)).toBeNull();
    await settle();
    reportUnreachable();
    failure = null;
    reportReachable();
    await settle();
    expect(stored).toBeNull();
    expect([...kept.keys()]).toEqual([]);
  });

  it("replaces a discarded draft by the next one", async () => {
    const laptop = open("laptop");
    laptop.write(saved, "select 'laptop'");
    await settle();
    failure = { status: 503, isLost: false };
    laptop.drop(saved.id);
    await settle();
    failure = null;
    laptop.write(saved, "select 'again'");
    await settle();
    expect(stored?.content).toBe("select 'again'");
    expect(laptop.readOther(saved.id)).toBeNull();
  });

  it("deletes a discarded draft whose request had no response", async () => {
    const laptop = open("laptop");
    laptop.write(saved, "select 'laptop'");
    await settle();
    failure = { status: 0, isLost: true };
    laptop.write(saved, "select 'laptop', 2");
    await settle();
    failure = null;
    laptop.drop(saved.id);
    await settle();
    expect(stored).toBeNull();
    expect([...kept.keys()]).toEqual([]);
  });

  describe("after a discard whose request had no response", () => {
    const discardLost = async () => {
      const laptop = open("laptop");
      failure = { status: 0, isLost: true };
      laptop.write(saved, "select 'same'");
      await settle();
      laptop.drop(saved.id);
      await settle();
      failure = null;
      return laptop;
    };
    const hasTombstone = () => [...kept.keys()].some((key) => key.includes("discarded"));

    it("deletes the lost draft", async () => {
      const laptop = await discardLost();
      expect(laptop.adopt(saved, stored)).toBeNull();
      await settle();
      expect([stored, laptop.read(saved.id), hasTombstone()]).toEqual([null, null, false]);
    });

    it.each([
      { clock: "ahead of", ms: 60_000 },
      { clock: "behind", ms: -60_000 },
    ])("tells the lost draft from a later one by a server's clock that is $clock the browser's", async ({ ms }) => {
      aheadMs = ms;
      const respond = () => {
        const headers = { date: new Date(Date.now() + aheadMs).toUTCString() };
        return Promise.resolve(Response.json({ success: true, data: null }, { headers }));
      };
      vi.stubGlobal("fetch", respond);
      await send("GET", "/api/workspaces");
      const laptop = await discardLost();
      const lost = stored;
      expect(laptop.preview(saved.id, lost)).toBeNull();
      await vi.advanceTimersByTimeAsync(2000);
      const theirs = { ...lost, updatedAt: new Date(Date.now() + aheadMs).toISOString() } as ServerDraft;
      expect(laptop.preview(saved.id, theirs)?.content).toBe("select 'same'");
      laptop.adopt(saved, lost);
      await settle();
      expect([stored, laptop.read(saved.id), hasTombstone()]).toEqual([null, null, false]);
    });

    it.each([
      // Responses tell the server's time to the second.
      { name: "stored later", waitMs: 2000, ageMs: 0 },
      // The clocks of the browser and the server may differ.
      { name: "read after ten minutes", waitMs: 10 * 60 * 1000, ageMs: 11 * 60 * 1000 },
    ])("keeps another browser's draft with the same text: $name", async ({ waitMs, ageMs }) => {
      const laptop = await discardLost();
      await vi.advanceTimersByTimeAsync(waitMs);
      const updatedAt = new Date(Date.now() - ageMs).toISOString();
      const theirs = { content: "select 'same'", version: 3, base: "select 1", updatedAt };
      stored = theirs;
      expect(laptop.preview(saved.id, theirs)?.content).toBe("select 'same'");
      laptop.adopt(saved, theirs);
      await settle();
      expect([stored, laptop.read(saved.id)?.content]).toEqual([theirs, "select 'same'"]);
      expect(hasTombstone()).toBe(false);
    });

    it.each([
      { name: "no draft", theirs: null },
      { name: "another text", theirs: { content: "select 'other'", version: 3, base: "select 1", updatedAt: "2000" } },
    ])("forgets it when the server has $name", async ({ theirs }) => {
      const laptop = await discardLost();
      laptop.adopt(saved, theirs);
      expect(hasTombstone()).toBe(false);
    });
  });

  it("discards only the draft that it has seen", async () => {
    const [desktop, laptop] = [open("desktop"), open("laptop")];
    laptop.write(saved, "select 'laptop'");
    await settle();
    desktop.adopt(saved, stored);
    desktop.write(saved, "select 'desktop'");
    await settle();
    laptop.drop(saved.id);
    await settle();
    expect(stored?.content).toBe("select 'desktop'");
    expect(laptop.preview(saved.id, stored)).toMatchObject({
      content: "select 'desktop'",
      serverAt: stored?.updatedAt,
    });
  });

  it("shows the server's draft, none that was saved or discarded elsewhere, and unsent changes", async () => {
    const laptop = open("laptop");
    laptop.write(saved, "select 'laptop'");
    await settle();
    expect(laptop.preview(saved.id, null)).toBeNull();
    const newer = { content: "select 'desktop'", version: 3, base: "select 1", updatedAt: "t8" };
    expect(laptop.preview(saved.id, newer)?.content).toBe("select 'desktop'");
    expect(laptop.preview(saved.id, undefined)?.content).toBe("select 'laptop'");
    laptop.write(saved, "select 'laptop', 2");
    expect(laptop.preview(saved.id, newer)?.content).toBe("select 'laptop', 2");
    expect(laptop.read(saved.id)?.content).toBe("select 'laptop', 2");
  });

  it("ignores an answer that is older than its own draft", async () => {
    const laptop = open("laptop");
    laptop.write(saved, "select 'laptop'");
    await settle();
    const older = stored;
    laptop.write(saved, "select 'laptop', 2");
    await settle();
    expect(laptop.adopt(saved, older)).toBeNull();
    expect(laptop.read(saved.id)?.content).toBe("select 'laptop', 2");
  });
});
