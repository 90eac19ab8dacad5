import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { FileStore } from "@/components/apps/workbench/file-store";
import { reportReachable, reportUnreachable } from "@/lib/platform/browser/connectivity";
import { ApiError } from "@/lib/platform/browser/request";

const KNOWN = { oid: "o1", content: "old" };
const KEY = "millrace:app-text:u:a:";
let kept: Map<string, string>;
let page: EventTarget;
let sent: { path: string; content: string; oid: string }[];
let saved: string[];
let answer: () => Promise<void>;

function makeStore(): FileStore {
  const store = new FileStore(
    "u",
    "a",
    {
      write: async (path, content, oid) => {
        sent.push({ path, content, oid });
        await answer();
        return { oid: `o${sent.length + 1}` };
      },
      onSaved: (path, content, oid) => saved.push(`${path} ${content} ${oid}`),
    },
    () => {},
  );
  store.wake();
  return store;
}

beforeEach(() => {
  vi.useFakeTimers();
  kept = new Map();
  page = new EventTarget();
  sent = [];
  saved = [];
  answer = () => Promise.resolve();
  vi.stubGlobal("localStorage", {
    get length() {
      return kept.size;
    },
    key: (i: number) => [...kept.keys()][i] ?? null,
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => kept.set(key, value),
    removeItem: (key: string) => kept.delete(key),
  });
  vi.stubGlobal("document", new EventTarget());
  vi.stubGlobal("addEventListener", page.addEventListener.bind(page));
  vi.stubGlobal("removeEventListener", page.removeEventListener.bind(page));
});
afterEach(() => {
  reportReachable();
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

describe("typing in a file", () => {
  it("is sent after a pause, once, each save based on the previous one", async () => {
    const store = makeStore();
    store.write("a.ts", "n", KNOWN);
    store.write("a.ts", "ne", KNOWN);
    store.write("a.ts", "new", KNOWN);
    expect(store.readState()).toBe("saving");
    await vi.advanceTimersByTimeAsync(1000);
    expect(sent).toEqual([{ path: "a.ts", content: "new", oid: "o1" }]);
    expect(saved).toEqual(["a.ts new o2"]);
    expect([store.readState(), kept.size]).toEqual(["saved", 0]);
    store.write("a.ts", "newer", { oid: "o2", content: "new" });
    expect(await store.flush()).toBe(true);
    expect(sent[1]).toEqual({ path: "a.ts", content: "newer", oid: "o2" });
  });

  it("during a save is sent after it, based on its result", async () => {
    const store = makeStore();
    let letGo = () => {};
    answer = () => new Promise((resolve) => (letGo = resolve));
    store.write("a.ts", "one", KNOWN);
    await vi.advanceTimersByTimeAsync(1000);
    store.write("a.ts", "one two", KNOWN);
    await vi.advanceTimersByTimeAsync(1000);
    expect(sent).toHaveLength(1);
    answer = () => Promise.resolve();
    letGo();
    await vi.advanceTimersByTimeAsync(1000);
    expect(sent[1]).toEqual({ path: "a.ts", content: "one two", oid: "o2" });
    expect(store.readState()).toBe("saved");
  });

  it("sends nothing when the text equals the server's again", async () => {
    const store = makeStore();
    store.write("a.ts", "new", KNOWN);
    store.write("a.ts", "old", KNOWN);
    await vi.advanceTimersByTimeAsync(5000);
    expect([sent, store.readState()]).toEqual([[], "saved"]);
  });

  it("is kept while the server is away, over a reload too, and sent later", async () => {
    const store = makeStore();
    reportUnreachable();
    answer = () => Promise.reject(new ApiError(0, "unreachable", "away"));
    store.write("a.ts", "new", KNOWN);
    await vi.advanceTimersByTimeAsync(20_000);
    expect(store.readState()).toBe("offline");
    expect(JSON.parse(kept.get(`${KEY}a.ts`) ?? "")).toEqual({ content: "new", baseOid: "o1" });
    answer = () => Promise.resolve();
    sent = [];
    const next = makeStore();
    expect(next.read("a.ts")?.content).toBe("new");
    reportReachable();
    await vi.advanceTimersByTimeAsync(1000);
    expect(sent[0]).toEqual({ path: "a.ts", content: "new", oid: "o1" });
    expect(next.readState()).toBe("saved");
  });

  it("is kept beside other content until a choice, then sent on that version", async () => {
    const store = makeStore();
    answer = () => Promise.reject(new ApiError(409, "conflict", "changed", { oid: "x" }));
    store.write("a.ts", "mine", KNOWN);
    await vi.advanceTimersByTimeAsync(1000);
    expect(store.readState()).toBe("conflict");
    store.write("a.ts", "mine more", KNOWN);
    await vi.advanceTimersByTimeAsync(20_000);
    expect(sent).toHaveLength(1);
    expect(await store.flush()).toBe(false);
    answer = () => Promise.resolve();
    store.resolve("a.ts", "both", { oid: "x", content: "theirs" });
    await vi.advanceTimersByTimeAsync(1000);
    expect(sent[1]).toEqual({ path: "a.ts", content: "both", oid: "x" });
    expect(store.readState()).toBe("saved");
  });

  it("reports a rejected save, and retries after a change", async () => {
    const store = makeStore();
    answer = () => Promise.reject(new ApiError(413, "too_large", "Commit first."));
    store.write("a.ts", "long", KNOWN);
    await vi.advanceTimersByTimeAsync(20_000);
    expect(store.read("a.ts")).toMatchObject({ status: "refused", message: "Commit first.", content: "long" });
    expect(sent).toHaveLength(1);
    answer = () => Promise.resolve();
    store.write("a.ts", "short", KNOWN);
    await vi.advanceTimersByTimeAsync(1000);
    expect(store.readState()).toBe("saved");
  });

  it("is retried for a busy server", async () => {
    const store = makeStore();
    answer = () => Promise.reject(new ApiError(503, "unavailable", "busy"));
    store.write("a.ts", "new", KNOWN);
    await vi.advanceTimersByTimeAsync(1000);
    answer = () => Promise.resolve();
    await vi.advanceTimersByTimeAsync(6000);
    expect([sent.length, store.readState()]).toEqual([2, "saved"]);
  });
});
