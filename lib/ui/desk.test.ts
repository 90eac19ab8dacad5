import { describe, expect, it } from "vitest";
import {
  addConsole, adoptSaved, closeTab, completeStep, type Desk, EMPTY_DESK, findTitle, fitDesk, mergeDesks, moveTab, openTab,
  parseDesk, removeConsole, restoreConsole, setTitle, toConsoleName, toFreeName,
} from "@/lib/ui/desk"; // biome-ignore format: one look at the whole list

const draft = (id: string) => ({ id, name: `${id}.sql`, content: `select '${id}'`, connectionId: null });
const deskOf = (...ids: string[]): Desk => ids.reduce((desk, id) => addConsole(desk, draft(id)), EMPTY_DESK);

describe("a desk", () => {
  it("opens what is added and makes it the active tab", () => {
    expect(deskOf("a", "b")).toMatchObject({ tabs: ["a", "b"], lastActiveId: "b" });
  });

  it("keeps the console of a closed tab and goes on with its neighbour", () => {
    const desk = openTab(deskOf("a", "b", "c"), "b");
    const closed = closeTab(desk, "b");
    expect(closed).toMatchObject({ tabs: ["a", "c"], lastActiveId: "c" });
    expect(closed.consoles).toHaveLength(3);
    expect(closeTab(closeTab(closed, "c"), "a")).toMatchObject({ tabs: [], lastActiveId: null });
  });

  it("does not change the active tab when another one is closed", () => {
    expect(closeTab(deskOf("a", "b"), "a").lastActiveId).toBe("b");
  });

  it("puts a closed tab back at its place", () => {
    expect(openTab(closeTab(deskOf("a", "b", "c"), "b"), "b", 1).tabs).toEqual(["a", "b", "c"]);
  });

  it("puts a removed console back with its text, its place and its tab", () => {
    const desk = deskOf("a", "b", "c");
    expect(restoreConsole(removeConsole(desk, "b"), draft("b"), 1, 1)).toEqual({ ...desk, lastActiveId: "b" });
    expect(restoreConsole(removeConsole(desk, "b"), draft("b"), 1, -1).tabs).toEqual(["a", "c"]);
  });

  it("moves tabs within their bounds", () => {
    expect(moveTab(deskOf("a", "b", "c"), "a", 2).tabs).toEqual(["b", "c", "a"]);
    expect(moveTab(deskOf("a", "b", "c"), "c", -4).tabs).toEqual(["c", "a", "b"]);
    expect(moveTab(deskOf("a"), "zzz", 0).tabs).toEqual(["a"]);
  });

  it("opens no tab for a console that is not there", () => {
    expect(openTab(deskOf("a"), "zzz").tabs).toEqual(["a"]);
  });

  it("ticks a step once", () => {
    expect(completeStep(completeStep(EMPTY_DESK, "sample"), "sample").done).toEqual(["workspace", "sample"]);
  });

  it("names a new console as no other is named", () => {
    const desk = {
      ...EMPTY_DESK,
      consoles: [
        { ...draft("a"), name: "untitled.sql" },
        { ...draft("b"), name: "Untitled-2.sql" },
      ],
    };
    expect(toFreeName(EMPTY_DESK)).toBe("untitled.sql");
    expect(toFreeName(desk)).toBe("untitled-3.sql");
  });

  it("makes a typed name fit, and takes none for none", () => {
    expect(toConsoleName("  week\n46/47 ")).toBe("week 46 47");
    expect(toConsoleName(" \t")).toBeNull();
    expect(toConsoleName("x".repeat(500))).toHaveLength(120);
  });
});

describe("a desk with saved consoles", () => {
  const saved = "a".repeat(24);
  const title = { name: "week.sql", language: "sql" as const };

  it("keeps tabs of saved consoles, whose texts it does not have, with their names", () => {
    const desk = setTitle(openTab(deskOf("a"), saved), saved, title);
    expect(desk.tabs).toEqual(["a", saved]);
    expect(findTitle(desk, saved)).toBe("week.sql");
    expect(parseDesk(JSON.stringify(desk))).toEqual(desk);
  });

  it("puts a saved console in the tab of the unsaved one that it was", () => {
    const desk = adoptSaved(deskOf("a", "b"), "a", { id: saved, ...title }, 5);
    expect(desk).toMatchObject({ tabs: [saved, "b"], gone: { a: 5 } });
    expect(desk.consoles.map(({ id }) => id)).toEqual(["b"]);
  });
});

describe("the desks of two browsers", () => {
  const at = (desk: Desk, changedAt: number): Desk => ({ ...desk, changedAt });

  it("are the later one's tabs with the unsaved texts of both", () => {
    const merged = mergeDesks(at(deskOf("a", "b"), 1), at(deskOf("c"), 2));
    expect(merged.tabs).toEqual(["c", "a", "b"]);
    expect(merged.consoles.map(({ id }) => id)).toEqual(["c", "a", "b"]);
    expect(merged.lastActiveId).toBe("c");
  });

  it("hold the later text of one console", () => {
    const older = addConsole(EMPTY_DESK, { ...draft("a"), content: "old", changedAt: 1 });
    const newer = addConsole(EMPTY_DESK, { ...draft("a"), content: "new", changedAt: 2 });
    expect(mergeDesks(at(newer, 1), at(older, 9)).consoles[0]?.content).toBe("new");
  });

  it("drop what was saved or deleted in the other one, unless it was changed since", () => {
    const gone = removeConsole(addConsole(EMPTY_DESK, { ...draft("a"), changedAt: 1 }), "a", 5);
    const before = addConsole(EMPTY_DESK, { ...draft("a"), changedAt: 4 });
    const since = addConsole(EMPTY_DESK, { ...draft("a"), changedAt: 6 });
    expect(mergeDesks(at(before, 4), at(gone, 5)).consoles).toEqual([]);
    expect(mergeDesks(at(since, 6), at(gone, 5)).consoles).toHaveLength(1);
  });

  it("fit into what an account keeps, without the longest texts", () => {
    const desk = addConsole(deskOf("a"), { ...draft("b"), content: "x".repeat(5000) });
    expect(fitDesk(desk, 2000).consoles.map(({ id }) => id)).toEqual(["a"]);
    expect(fitDesk(desk, 20_000)).toBe(desk);
  });
});

describe("parseDesk", () => {
  it("reads what was written", () => {
    const desk = deskOf("a", "b");
    expect(parseDesk(JSON.stringify(desk))).toEqual(desk);
  });

  it("takes rubbish and other versions for nothing", () => {
    for (const text of [
      null,
      "",
      "{",
      "[]",
      '{"version":2}',
      '{"version":1,"consoles":[{"id":7}],"tabs":[],"done":[]}',
    ]) {
      expect(parseDesk(text)).toBeNull();
    }
  });

  it("drops tabs of consoles that are gone", () => {
    const desk = { ...deskOf("a", "b"), consoles: [draft("a")] };
    expect(parseDesk(JSON.stringify(desk))).toMatchObject({ tabs: ["a"], lastActiveId: "a" });
  });
});
