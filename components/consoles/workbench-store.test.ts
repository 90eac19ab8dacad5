import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { WorkbenchStore } from "@/components/consoles/workbench-store";
import { addConsole, changeConsole, EMPTY_WORKBENCH } from "@/lib/features/consoles/browser/workbench";

const draft = { id: "a", name: "a.sql", content: "select 1", connectionId: null };
const KEY = "millrace:desk:u:w";
let kept: Map<string, string>;
let page: EventTarget;

beforeEach(() => {
  vi.useFakeTimers();
  kept = new Map();
  page = new EventTarget();
  vi.stubGlobal("localStorage", {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, text: string) => kept.set(key, text),
  });
  vi.stubGlobal("addEventListener", page.addEventListener.bind(page));
  vi.stubGlobal("removeEventListener", page.removeEventListener.bind(page));
  vi.stubGlobal("document", new EventTarget());
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

describe("WorkbenchStore", () => {
  it("waits for the account's copy before a first visit, and merges it", () => {
    const store = new WorkbenchStore("u", "w", () => {});
    store.wake();
    expect(store.isSettled()).toBe(false);
    store.settle(addConsole(EMPTY_WORKBENCH, draft));
    expect(store.isSettled()).toBe(true);
    expect(store.read()?.consoles).toEqual([draft]);
  });

  it("loses no unsaved text to a later copy of the account", () => {
    const store = new WorkbenchStore("u", "w", () => {});
    store.wake();
    store.change(() => addConsole(EMPTY_WORKBENCH, draft));
    const kept = { ...addConsole(EMPTY_WORKBENCH, { ...draft, id: "b" }), changedAt: Date.now() + 1 };
    store.settle(kept);
    expect(store.read()?.tabs).toEqual(["b", "a"]);
    expect(store.read()?.lastActiveId).toBe("b");
  });

  it("has no workbench before hydration, and none on a first visit", () => {
    const store = new WorkbenchStore("u", "w", () => {});
    expect(store.read()).toBeNull();
    store.wake();
    expect(store.read()).toBeNull();
  });

  it("opens consoles requested before hydration beside the stored ones", () => {
    kept.set(KEY, JSON.stringify(addConsole(EMPTY_WORKBENCH, draft)));
    const store = new WorkbenchStore("u", "w", () => {});
    store.change((workbench) => addConsole(workbench, { ...draft, id: "b" }));
    expect(store.read()).toBeNull();
    store.wake();
    expect(store.read()).toMatchObject({ tabs: ["a", "b"], lastActiveId: "b" });
  });

  it("stores a change shortly after the last one", () => {
    const store = new WorkbenchStore("u", "w", () => {});
    store.wake();
    store.change(() => addConsole(EMPTY_WORKBENCH, draft));
    store.change((workbench) => changeConsole(workbench, "a", { content: "select 2" }));
    expect(kept.size).toBe(0);
    vi.runAllTimers();
    const next = new WorkbenchStore("u", "w", () => {});
    next.wake();
    expect(next.read()?.consoles).toEqual([{ ...draft, content: "select 2" }]);
  });

  it("stores the latest typing when the page is left", () => {
    const store = new WorkbenchStore("u", "w", () => {});
    store.wake();
    store.change(() => addConsole(EMPTY_WORKBENCH, draft));
    page.dispatchEvent(new Event("pagehide"));
    expect(kept.get(KEY)).toContain("select 1");
  });

  it("is separate per person and workspace", () => {
    const store = new WorkbenchStore("u", "w", () => {});
    store.wake();
    store.change(() => addConsole(EMPTY_WORKBENCH, draft));
    vi.runAllTimers();
    const other = new WorkbenchStore("u2", "w", () => {});
    other.wake();
    expect(other.read()).toBeNull();
  });

  it("follows changes in another tab of the browser", () => {
    const store = new WorkbenchStore("u", "w", () => {});
    store.wake();
    const heard = vi.fn();
    store.subscribe(heard);
    const text = JSON.stringify(addConsole(EMPTY_WORKBENCH, draft));
    page.dispatchEvent(Object.assign(new Event("storage"), { key: KEY, newValue: text }));
    expect(store.read()?.consoles).toEqual([draft]);
    expect(heard).toHaveBeenCalledOnce();
  });

  it("reports full browser storage, and continues", () => {
    vi.stubGlobal("localStorage", { getItem: () => null, setItem: () => { throw new DOMException("Full", "QuotaExceededError"); } }); // biome-ignore format: one thought
    const onFull = vi.fn();
    const store = new WorkbenchStore("u", "w", onFull);
    store.wake();
    store.change(() => addConsole(EMPTY_WORKBENCH, draft));
    vi.runAllTimers();
    expect(onFull).toHaveBeenCalledOnce();
    expect(store.read()?.consoles).toHaveLength(1);
  });
});
