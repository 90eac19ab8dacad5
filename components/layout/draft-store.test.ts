import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { DraftStore } from "@/components/layout/draft-store";
import type { ConsoleDraft } from "@/lib/features/consoles/schema";
import { reportReachable, reportUnreachable } from "@/lib/platform/browser/connectivity";
import { ApiError } from "@/lib/platform/browser/request";

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
        sent.push(body);
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
    expect(store.adopt(saved, draftOf("select 7", 3, "t9"))).toBe("select 7");
    expect(store.read(saved.id)?.content).toBe("select 22");
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
