import { describe, expect, it } from "vitest";
import {
  addConsole, adoptSaved, closeTab, completeStep, EMPTY_WORKBENCH, findTitle, fitWorkbench, listOtherTabs, mergeWorkbenches, moveTab, openTab,
  parseWorkbench, removeConsole, restoreConsole, restoreTabs, setTitle, toConsoleName, toFreeName, toggleFavouriteDashboard, type Workbench,
} from "@/lib/features/consoles/browser/workbench"; // biome-ignore format: one look at the whole list

const draft = (id: string) => ({ id, name: `${id}.sql`, content: `select '${id}'`, connectionId: null });
const workbenchOf = (...ids: string[]): Workbench =>
  ids.reduce((workbench, id) => addConsole(workbench, draft(id)), EMPTY_WORKBENCH);

describe("a workbench", () => {
  it("adds a console and activates its tab", () => {
    expect(workbenchOf("a", "b")).toMatchObject({ tabs: ["a", "b"], lastActiveId: "b" });
  });

  it("keeps the console of a closed tab and activates its neighbour", () => {
    const workbench = openTab(workbenchOf("a", "b", "c"), "b");
    const closed = closeTab(workbench, "b");
    expect(closed).toMatchObject({ tabs: ["a", "c"], lastActiveId: "c" });
    expect(closed.consoles).toHaveLength(3);
    expect(closeTab(closeTab(closed, "c"), "a")).toMatchObject({ tabs: [], lastActiveId: null });
  });

  it("keeps the active tab when another one closes", () => {
    expect(closeTab(workbenchOf("a", "b"), "a").lastActiveId).toBe("b");
  });

  it("restores a closed tab at its position", () => {
    expect(openTab(closeTab(workbenchOf("a", "b", "c"), "b"), "b", 1).tabs).toEqual(["a", "b", "c"]);
  });

  it("lists the other tabs, or those to the right, and none without the tab itself", () => {
    const workbench = workbenchOf("a", "b", "c");
    expect(listOtherTabs(workbench, "b", "all")).toEqual(["a", "c"]);
    expect(listOtherTabs(workbench, "b", "right")).toEqual(["c"]);
    expect(listOtherTabs(workbench, "c", "right")).toEqual([]);
    expect(listOtherTabs(workbench, "gone", "all")).toEqual([]);
  });

  it("restores closed tabs at their places and keeps those opened since", () => {
    const workbench = workbenchOf("a", "b", "c");
    const left = addConsole(["a", "c"].reduce(closeTab, workbench), draft("d"));
    expect(restoreTabs(left, workbench.tabs).tabs).toEqual(["a", "b", "c", "d"]);
  });

  it("puts a removed console back with its text, its place and its tab", () => {
    const workbench = workbenchOf("a", "b", "c");
    expect(restoreConsole(removeConsole(workbench, "b"), draft("b"), 1, 1)).toEqual({
      ...workbench,
      lastActiveId: "b",
    });
    expect(restoreConsole(removeConsole(workbench, "b"), draft("b"), 1, -1).tabs).toEqual(["a", "c"]);
  });

  it("moves tabs within their bounds", () => {
    expect(moveTab(workbenchOf("a", "b", "c"), "a", 2).tabs).toEqual(["b", "c", "a"]);
    expect(moveTab(workbenchOf("a", "b", "c"), "c", -4).tabs).toEqual(["c", "a", "b"]);
    expect(moveTab(workbenchOf("a"), "zzz", 0).tabs).toEqual(["a"]);
  });

  it("opens no tab for an unknown console", () => {
    expect(openTab(workbenchOf("a"), "zzz").tabs).toEqual(["a"]);
  });

  it("completes a step once", () => {
    expect(completeStep(completeStep(EMPTY_WORKBENCH, "sample"), "sample").done).toEqual(["workspace", "sample"]);
  });

  it("gives a new console a unique name", () => {
    const workbench = {
      ...EMPTY_WORKBENCH,
      consoles: [
        { ...draft("a"), name: "untitled.sql" },
        { ...draft("b"), name: "Untitled-2.sql" },
      ],
    };
    expect(toFreeName(EMPTY_WORKBENCH)).toBe("untitled.sql");
    expect(toFreeName(workbench)).toBe("untitled-3.sql");
  });

  it("normalises a typed name, and ignores an empty one", () => {
    expect(toConsoleName("  week\n46/47 ")).toBe("week 46 47");
    expect(toConsoleName(" \t")).toBeNull();
    expect(toConsoleName("x".repeat(500))).toHaveLength(120);
  });
});

describe("a workbench with saved consoles", () => {
  const saved = "a".repeat(24);
  const title = { name: "week.sql", language: "sql" as const };

  it("keeps tabs and names of saved consoles without their texts", () => {
    const workbench = setTitle(openTab(workbenchOf("a"), saved), saved, title);
    expect(workbench.tabs).toEqual(["a", saved]);
    expect(findTitle(workbench, saved)).toBe("week.sql");
    expect(parseWorkbench(JSON.stringify(workbench))).toEqual(workbench);
  });

  it("replaces the unsaved console's tab with its saved one", () => {
    const workbench = adoptSaved(workbenchOf("a", "b"), "a", { id: saved, ...title }, 5);
    expect(workbench).toMatchObject({ tabs: [saved, "b"], gone: { a: 5 } });
    expect(workbench.consoles.map(({ id }) => id)).toEqual(["b"]);
  });
});

describe("the merged workbenches of two browsers", () => {
  const at = (workbench: Workbench, changedAt: number): Workbench => ({ ...workbench, changedAt });

  it("have the later tabs with the unsaved texts of both", () => {
    const merged = mergeWorkbenches(at(workbenchOf("a", "b"), 1), at(workbenchOf("c"), 2));
    expect(merged.tabs).toEqual(["c", "a", "b"]);
    expect(merged.consoles.map(({ id }) => id)).toEqual(["c", "a", "b"]);
    expect(merged.lastActiveId).toBe("c");
  });

  it("have the later text of a console", () => {
    const older = addConsole(EMPTY_WORKBENCH, { ...draft("a"), content: "old", changedAt: 1 });
    const newer = addConsole(EMPTY_WORKBENCH, { ...draft("a"), content: "new", changedAt: 2 });
    expect(mergeWorkbenches(at(newer, 1), at(older, 9)).consoles[0]?.content).toBe("new");
  });

  it("drop consoles saved or deleted in the other one, unless changed since", () => {
    const gone = removeConsole(addConsole(EMPTY_WORKBENCH, { ...draft("a"), changedAt: 1 }), "a", 5);
    const before = addConsole(EMPTY_WORKBENCH, { ...draft("a"), changedAt: 4 });
    const since = addConsole(EMPTY_WORKBENCH, { ...draft("a"), changedAt: 6 });
    expect(mergeWorkbenches(at(before, 4), at(gone, 5)).consoles).toEqual([]);
    expect(mergeWorkbenches(at(since, 6), at(gone, 5)).consoles).toHaveLength(1);
  });

  it("fit into the account's limit without the longest texts", () => {
    const workbench = addConsole(workbenchOf("a"), { ...draft("b"), content: "x".repeat(5000) });
    expect(fitWorkbench(workbench, 2000).consoles.map(({ id }) => id)).toEqual(["a"]);
    expect(fitWorkbench(workbench, 20_000)).toBe(workbench);
  });
});

describe("parseWorkbench", () => {
  it("reads its own output", () => {
    const workbench = workbenchOf("a", "b");
    expect(parseWorkbench(JSON.stringify(workbench))).toEqual(workbench);
  });

  it("returns nothing for invalid data and other versions", () => {
    for (const text of [
      null,
      "",
      "{",
      "[]",
      '{"version":2}',
      '{"version":1,"consoles":[{"id":7}],"tabs":[],"done":[]}',
    ]) {
      expect(parseWorkbench(text)).toBeNull();
    }
  });

  it("drops tabs of missing consoles", () => {
    const workbench = { ...workbenchOf("a", "b"), consoles: [draft("a")] };
    expect(parseWorkbench(JSON.stringify(workbench))).toMatchObject({ tabs: ["a"], lastActiveId: "a" });
  });
});

it("marks dashboards as favourites, the last one first, and drops invalid ids", () => {
  const [a, b] = ["0123456789abcdef01234567", "0123456789abcdef01234568"];
  const both = toggleFavouriteDashboard(toggleFavouriteDashboard(EMPTY_WORKBENCH, a), b);
  expect(both.favouriteDashboards).toEqual([b, a]);
  expect(toggleFavouriteDashboard(both, b).favouriteDashboards).toEqual([a]);
  expect(parseWorkbench(JSON.stringify({ ...both, favouriteDashboards: [a, 7, "x"] }))?.favouriteDashboards).toEqual([
    a,
  ]);
});
