import { describe, expect, it } from "vitest";
import {
  addDataset, addFilter, addWidget, changeDataset, changeFilter, changeWidget, type Draft, duplicateWidget, fromText, listChanges, moveFilter,
  moveTab, readersOf, removeDataset, removeFilter, removeWidget, renameTab, startTab, toText, toUpdateBody,
} from "./draft"; // biome-ignore format: one look at the whole list

const SOURCE = { connectionId: "c".repeat(24), query: "select 1" };
const DRAFT: Draft = {
  title: "Shop pulse",
  description: "",
  access: "workspace",
  datasets: [
    { id: "orders", name: "Orders", source: SOURCE, maxAgeS: null },
    { id: "spare", name: "Spare", source: SOURCE, maxAgeS: 60 },
  ],
  widgets: [
    { id: "a", kind: "chart", title: "By day", source: { datasetId: "orders" }, spec: {}, layout: { x: 0, y: 0, w: 6, h: 8 } },
    { id: "b", kind: "text", title: "", source: null, spec: { text: "Hi" }, layout: { x: 0, y: 8, w: 6, h: 2 } },
  ],
  filters: [
    { id: "f", kind: "select", field: "region", title: null, datasets: ["orders", "spare"], exclude: ["a"], default: "north" },
    { id: "g", kind: "search", field: "name", title: null, datasets: "all", exclude: [], default: null },
  ],
}; // biome-ignore format: one look

describe("a draft of a dashboard", () => {
  it("C15 keeps every digit of a source's values in the browser, in a copy and in what is sent", () => {
    const text = toText(DRAFT).replace('"query":"select 1"', '"query":"select 1","params":[9007199254740993]');
    const draft = fromText(text) as Draft;
    expect(toText(draft)).toBe(text);
    const [own] = addWidget(draft, { kind: "table", title: "", source: draft.datasets[0]?.source as never, spec: {} });
    const [copied] = duplicateWidget(own, own.widgets[2]?.id ?? "") ?? [own];
    const sent = JSON.stringify(toUpdateBody(copied, draft, 1));
    expect(sent.match(/9007199254740993/g)).toHaveLength(2);
    expect(listChanges(draft, fromText(text) as Draft)).toEqual([]);
  });

  it("puts a new widget into the first gap", () => {
    const [draft, id] = addWidget(DRAFT, { kind: "chart", title: "", source: { datasetId: "orders" }, spec: {} });
    expect(draft.widgets.find((each) => each.id === id)?.layout).toEqual({ x: 6, y: 0, w: 6, h: 8 });
    expect(id).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
    expect(DRAFT.widgets).toHaveLength(2);
  });

  it("duplicates a widget below, with the same exclusions", () => {
    const [draft, id] = duplicateWidget(DRAFT, "a") ?? [DRAFT, ""];
    const copy = draft.widgets.find((each) => each.id === id);
    expect(copy).toMatchObject({ title: "By day", layout: { x: 0, y: 8 } });
    expect(draft.filters[0]?.exclude).toEqual(["a", id]);
    expect(duplicateWidget(DRAFT, "nobody")).toBeNull();
  });

  it("removes a widget from filters too, and closes the gap", () => {
    const draft = removeWidget(DRAFT, "a");
    expect(draft.filters[0]?.exclude).toEqual([]);
    expect(draft.widgets).toMatchObject([{ id: "b", layout: { y: 0 } }]);
    expect(removeWidget(DRAFT, "nobody")).toBe(DRAFT);
  });

  it("drops the variables of a filter with its console, and with another kind", () => {
    const console = { consoleId: "d".repeat(24) };
    const variables = { orders: { value: "x" }, spare: { value: "y" } };
    const datasets = DRAFT.datasets.map((dataset) => ({ ...dataset, source: console }));
    const draft = changeFilter({ ...DRAFT, datasets }, "f", { variables });
    expect(changeDataset(draft, "spare", { source: SOURCE }).filters[0]?.variables).toEqual({ orders: { value: "x" } });
    expect(changeDataset(draft, "spare", { source: console }).filters[0]?.variables).toBe(variables);
    expect(removeDataset(draft, "spare").filters[0]?.variables).toEqual({ orders: { value: "x" } });
    expect(changeFilter(draft, "f", { kind: "dateRange" }).filters[0]?.variables).toBeUndefined();
  });

  it("keeps a dataset in use, and removes another from filters too", () => {
    expect(readersOf(DRAFT, "orders").map(({ id }) => id)).toEqual(["a"]);
    expect(removeDataset(DRAFT, "orders")).toBe(DRAFT);
    const draft = removeDataset(DRAFT, "spare");
    expect(draft.datasets.map(({ id }) => id)).toEqual(["orders"]);
    expect(draft.filters[0]?.datasets).toEqual(["orders"]);
    expect(addDataset(DRAFT, { name: "New", source: SOURCE, maxAgeS: null })[0].datasets).toHaveLength(3);
  });

  it("changes the kind of a filter without its value and position", () => {
    expect(changeFilter(DRAFT, "f", { kind: "multiSelect" }).filters[0]).toMatchObject({ default: null });
    expect(changeFilter(DRAFT, "f", { title: "Region" }).filters[0]).toMatchObject({ default: "north" });
    expect(moveFilter(DRAFT, "g", -1).filters.map(({ id }) => id)).toEqual(["g", "f"]);
    expect(moveFilter(DRAFT, "g", 1)).toBe(DRAFT);
    expect(removeFilter(DRAFT, "f").filters.map(({ id }) => id)).toEqual(["g"]);
    const given = { kind: "search", field: "x", title: null, datasets: "all", exclude: [], default: null } as const;
    expect(addFilter(DRAFT, { ...given, exclude: [] })[0].filters).toHaveLength(3);
  });

  it("keeps the positions on other tabs when widgets are added to a tab, duplicated and removed", () => {
    const [a, b] = DRAFT.widgets;
    if (!a || !b) throw new Error("There are two.");
    const other = { ...a, id: "c", tab: "Orders" };
    const tabbed: Draft = { ...DRAFT, widgets: [{ ...a, tab: "Sales" }, b, other] };
    const given = { kind: "chart", title: "", source: { datasetId: "orders" }, spec: {} } as const;
    const [added, id] = addWidget(tabbed, { ...given, tab: "Orders", layout: { x: 0, y: 0, w: 12, h: 4 } });
    expect(added.widgets.find((each) => each.id === id)).toMatchObject({ tab: "Orders", layout: { y: 8 } });
    expect(added.widgets[0]).toBe(tabbed.widgets[0]);
    const [copied] = duplicateWidget(tabbed, "c") ?? [tabbed];
    expect(copied.widgets.map(({ tab, layout }) => [tab, layout.y])).toEqual([
      ["Sales", 0],
      [undefined, 8],
      ["Orders", 0],
      ["Orders", 10],
    ]);
    const removed = removeWidget(tabbed, "b").widgets;
    expect(removed.map(({ id, layout }) => [id, layout.y])).toEqual([
      ["a", 0],
      ["c", 0],
    ]);
  });

  it("renames and moves tabs", () => {
    const [a, b] = DRAFT.widgets;
    if (!a || !b) throw new Error("There are two.");
    const tabbed: Draft = {
      ...DRAFT,
      widgets: [
        { ...a, tab: "Sales" },
        { ...b, tab: "Orders" },
        { ...a, id: "c" },
      ],
    };
    const tabsOf = ({ widgets }: Draft) => widgets.map(({ tab }) => tab);
    expect(tabsOf(renameTab(tabbed, "Sales", "Net"))).toEqual(["Net", "Orders", undefined]);
    expect(tabsOf(moveTab(tabbed, "Orders", -1))).toEqual([undefined, "Orders", "Sales"]);
    expect(listChanges(tabbed, moveTab(tabbed, "Sales", 1))).toEqual(["Reordered tabs"]);
    expect([moveTab(tabbed, "Sales", -1), moveTab(tabbed, "Orders", 1), moveTab(tabbed, "None", 1)]).toEqual([
      tabbed,
      tabbed,
      tabbed,
    ]);
  });

  it("starts a tab: the first one moves all widgets to a tab, and names do not repeat", () => {
    const [first, name] = startTab(DRAFT, []);
    expect([name, ...first.widgets.map(({ tab }) => tab)]).toEqual(["Tab 2", "Tab 1", "Tab 1"]);
    expect(startTab({ ...DRAFT, widgets: [] }, [])[1]).toBe("Tab 1");
    expect(startTab(first, ["Tab 1", "Tab 3"])).toEqual([first, "Tab 4"]);
  });

  it("describes unsaved changes, and sends only those", () => {
    expect(listChanges(DRAFT, structuredClone(DRAFT))).toEqual([]);
    const draft = { ...changeWidget(DRAFT, "a", { title: "Net by day" }), access: "private" as const };
    expect(listChanges(DRAFT, draft)).toEqual(["Renamed chart “Net by day” from “By day”", "Made private"]);
    expect(toUpdateBody(draft, DRAFT, 7)).toEqual({ version: 7, access: "private", widgets: draft.widgets });
    expect(toUpdateBody(structuredClone(DRAFT), DRAFT, 7)).toEqual({ version: 7 });
  });

  it("survives serialization, and ignores invalid text", () => {
    expect(fromText(toText(DRAFT))).toEqual(DRAFT);
    for (const text of ["", "null", "{}", '{"title":"x"}', toText(DRAFT).replace('"widgets":[', '"widgets":1,"x":[')]) {
      expect(fromText(text)).toBeNull();
    }
  });
});
