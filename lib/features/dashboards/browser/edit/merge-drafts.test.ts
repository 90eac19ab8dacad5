import { describe, expect, it } from "vitest";
import type { Draft } from "./draft";
import { mergeDrafts } from "./merge-drafts";

const widget = (id: string, y: number, more: object = {}) =>
  ({
    id,
    kind: "text",
    title: id,
    source: null,
    spec: { text: id },
    layout: { x: 0, y, w: 6, h: 2 },
    ...more,
  }) as never;
const dataset = (id: string) =>
  ({ id, name: id, source: { connectionId: "c", query: "select 1" }, maxAgeS: null }) as never;
const BASE: Draft = {
  title: "Board",
  description: "",
  access: "workspace",
  datasets: [dataset("d")],
  widgets: [widget("a", 0), widget("b", 2)],
  filters: [],
};
const idsOf = (parts: readonly { id: string }[]) => parts.map(({ id }) => id);

describe("mergeDrafts", () => {
  it("merges changes of different parts without a conflict", () => {
    const mine = { ...BASE, widgets: [widget("a", 0, { title: "Mine" }), widget("b", 2), widget("new", 4)] };
    const theirs = { ...BASE, title: "Theirs", widgets: [widget("a", 0), widget("b", 2, { title: "Theirs" })] };
    const { draft, conflicts } = mergeDrafts(BASE, mine, theirs);
    expect(conflicts).toEqual([]);
    expect(draft.title).toBe("Theirs");
    expect(draft.widgets.map(({ title }) => title)).toEqual(["Mine", "Theirs", "new"]);
  });

  it("names a part that both changed, and keeps the chosen side", () => {
    const mine = { ...BASE, widgets: [widget("a", 0, { title: "Mine" }), widget("b", 2)] };
    const theirs = { ...BASE, widgets: [widget("a", 0, { title: "Theirs" }), widget("b", 2)] };
    const { draft, conflicts } = mergeDrafts(BASE, mine, theirs);
    expect(conflicts).toEqual([
      {
        key: "widgets a",
        mine: ["Renamed text “Mine” from “a”"],
        theirs: ["Renamed text “Theirs” from “a”"],
      },
    ]);
    expect(draft.widgets[0]?.title).toBe("Mine");
    expect(mergeDrafts(BASE, mine, theirs, { "widgets a": "theirs" }).draft.widgets[0]?.title).toBe("Theirs");
  });

  it("asks about a part that one side changed and the other removed", () => {
    const mine = { ...BASE, widgets: [widget("b", 0)] };
    const theirs = { ...BASE, widgets: [widget("a", 0, { title: "Theirs" }), widget("b", 2)] };
    const { draft, conflicts } = mergeDrafts(BASE, mine, theirs);
    expect(conflicts.map(({ key }) => key)).toEqual(["widgets a"]);
    expect(idsOf(draft.widgets)).toEqual(["b"]);
    expect(idsOf(mergeDrafts(BASE, mine, theirs, { "widgets a": "theirs" }).draft.widgets)).toEqual(["a", "b"]);
  });

  it("removes what one side removed, and keeps a widget moved by one and edited by the other", () => {
    const mine = { ...BASE, widgets: [widget("a", 0, { layout: { x: 6, y: 0, w: 6, h: 2 } })] };
    const theirs = { ...BASE, widgets: [widget("a", 0, { title: "Theirs" }), widget("b", 2)] };
    const { draft, conflicts } = mergeDrafts(BASE, mine, theirs);
    expect(conflicts).toEqual([]);
    expect(draft.widgets).toMatchObject([{ id: "a", title: "Theirs", layout: { x: 6 } }]);
  });

  it("restores a dataset that they removed and that my widget reads", () => {
    const mine = { ...BASE, widgets: [...BASE.widgets, widget("new", 4, { source: { datasetId: "d" } })] };
    const { draft } = mergeDrafts(BASE, mine, { ...BASE, datasets: [] });
    expect(idsOf(draft.datasets)).toEqual(["d"]);
  });

  it("places widgets that both added without overlaps", () => {
    const mine = { ...BASE, widgets: [...BASE.widgets, widget("m", 4)] };
    const theirs = { ...BASE, widgets: [...BASE.widgets, widget("t", 4)] };
    const tops = mergeDrafts(BASE, mine, theirs).draft.widgets.map(({ layout }) => layout.y);
    expect(new Set(tops).size).toBe(4);
  });

  it("keeps the positions of each tab", () => {
    const tabbed = [widget("a", 0, { tab: "Sales" }), widget("b", 0, { tab: "Orders" })];
    const base = { ...BASE, widgets: tabbed };
    const theirs = { ...base, widgets: [...tabbed, widget("t", 0, { tab: "Orders" })] };
    const { draft } = mergeDrafts(base, { ...base, title: "Mine" }, theirs);
    expect(draft.widgets.map(({ id, layout }) => [id, layout.y])).toEqual([
      ["a", 0],
      ["b", 0],
      ["t", 2],
    ]);
  });
});
