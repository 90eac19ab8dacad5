import { describe, expect, it } from "vitest";
import type { Preview, Widget } from "@/lib/features/dashboards/schema";
import type { Draft } from "./draft";
import { PreviewBatch, type PreviewItem, toPreviewItem } from "./preview-batch";

const SOURCE = { connectionId: "c".repeat(24), query: "select 1" };
const widget = (id: string, more: Partial<Widget> = {}): Widget => ({
  id,
  kind: "chart",
  title: id,
  source: { datasetId: "orders" },
  spec: { measures: [{ op: "count" }], mark: "bar" },
  layout: { x: 0, y: 0, w: 6, h: 4 },
  ...more,
});
const DRAFT: Draft = {
  title: "",
  description: "",
  access: "private",
  datasets: [{ id: "orders", name: "Orders", source: SOURCE, maxAgeS: 60 }],
  widgets: [],
  filters: [
    { id: "f", kind: "select", field: "region", title: "R", datasets: ["orders"], exclude: ["b"], default: "north" },
    { id: "off", kind: "select", field: "name", title: null, datasets: "all", exclude: [], default: null },
  ],
};
const item = (id: string, more: Partial<Widget> = {}) => toPreviewItem(DRAFT, widget(id, more)) as PreviewItem;
const EMPTY: Preview = { widgets: [], sources: [] };

describe("the request of a widget", () => {
  it("contains what its rows depend on: no title, position, drawing or disabled filter", () => {
    const asked = item("a");
    expect(asked).toEqual(
      item("a", {
        title: "other",
        layout: { x: 1, y: 1, w: 1, h: 1 },
        spec: { measures: [{ op: "count" }], mark: "line" },
      }),
    );
    expect(asked.filters.map(({ id }) => id)).toEqual(["f"]);
    expect(item("b").filters).toEqual([]);
    expect(item("a", { source: SOURCE }).filters).toEqual([]);
  });
  it("is empty for a widget without a source", () => {
    for (const more of [
      { kind: "text" as const },
      { source: null },
      { source: { ...SOURCE, query: " " } },
      { source: { datasetId: "x" } },
    ]) {
      expect(toPreviewItem(DRAFT, widget("a", more))).toBeNull();
    }
  });
});

describe("widgets drawn at once", () => {
  it("are requested together, each with its filters", async () => {
    const sent: unknown[] = [];
    const batch = new PreviewBatch(async (parts) => {
      sent.push(parts);
      return EMPTY;
    });
    await Promise.all([batch.ask(item("a")), batch.ask(item("b"))]);
    expect(sent).toMatchObject([
      { widgets: [{ id: "a" }, { id: "b" }], datasets: [{ id: "orders" }], filters: [{ id: "f", exclude: ["b"] }] },
    ]);
    expect(sent).toHaveLength(1);
  });

  it("fail separately", async () => {
    const batch = new PreviewBatch(async ({ widgets }) => {
      if (widgets.some(({ id }) => id === "bad")) throw new Error("refused");
      return EMPTY;
    });
    const answers = await Promise.allSettled([batch.ask(item("a")), batch.ask(item("bad")), batch.ask(item("b"))]);
    expect(answers.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
  });

  it("are separate if one is requested in two ways", async () => {
    let sent = 0;
    const batch = new PreviewBatch(async () => {
      sent += 1;
      return EMPTY;
    });
    await Promise.all([batch.ask(item("a")), batch.ask(item("a", { spec: {} }))]);
    expect(sent).toBe(2);
  });
});
