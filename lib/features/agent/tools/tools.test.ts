import { ObjectId } from "mongodb";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { Entity } from "@/lib/base/values/fields";
import { MODEL_RESULT_BYTES_MAX } from "../limits";
import { toDescription } from "./connections";
import { fitting } from "./queries";
import { runTool, TOOLS, toolNamesOf } from "./registry";
import { beginningOf, shortText, upToBytes } from "./short";
import { scopeOf, type ToolContext } from "./tool";

const context = {
  signal: new AbortController().signal,
  chat: { hasKept: async () => true },
} as unknown as ToolContext;
const chart = (spec: object) => {
  const tool = TOOLS.find(({ name }) => name === "create_chart");
  if (!tool) throw new Error("Unknown tool.");
  return runTool(tool, context, { title: "Revenue", spec, resultId: new ObjectId().toHexString() });
};

describe("the tools", () => {
  it("are those of the two agents", () => {
    const console = [
      "list_connections",
      "list_entities",
      "describe_entity",
      "run_query",
      "search_consoles",
      "read_console",
      "save_console",
      "create_chart",
      "list_metrics",
      "read_metric",
      "query_metrics",
      "save_metric",
      "list_dashboards",
      "read_dashboard",
      "save_dashboard",
      "list_apps",
      "save_app",
      "list_folders",
      "save_folder",
      "delete_item",
      "set_schedule",
      "list_rules",
      "save_rule",
      "propose_plan",
    ];
    const flow = ["list_flows", "get_flow", "create_flow", "trigger_flow", "get_run"];
    expect(toolNamesOf("console")).toEqual(console);
    expect(toolNamesOf("flow")).toEqual([...console.filter((name) => name !== "create_chart"), ...flow]);
  });

  it("are covered by the consent for their scope, or not for connected apps", () => {
    const namesOf = (scope: string | null) => TOOLS.filter((tool) => scopeOf(tool) === scope).map(({ name }) => name);
    // As the consent page describes them. People have given these scopes: a new tool must not extend one.
    expect(namesOf("write")).toEqual(["save_console", "save_metric", "trigger_flow"]);
    expect(namesOf("build")).toEqual(["save_dashboard", "set_schedule", "save_rule", "create_flow"]);
    expect(namesOf(null)).toEqual(["save_app", "save_folder", "delete_item"]);
    expect(TOOLS.filter(({ writes }) => writes === null).every((tool) => scopeOf(tool) === "read")).toBe(true);
  });

  it("have input and output objects that JSON Schema can describe", () => {
    for (const { name, input, output } of TOOLS) {
      expect([name, z.toJSONSchema(input, { io: "input" }).type]).toEqual([name, "object"]);
      expect([name, z.toJSONSchema(output).type]).toEqual([name, "object"]);
    }
  });
});

describe("a chart", () => {
  it("T65 rejects URLs anywhere and drops embedded data", async () => {
    const url = "https://evil.example/?d=1";
    for (const spec of [
      { layer: [{ data: { url } }] },
      { mark: { type: "image", url } },
      { encoding: { href: { value: url } } },
      { layer: [{ datasets: {} }] },
    ]) {
      await expect(chart(spec)).rejects.toThrow("can't load URLs");
    }
    expect(await chart({ mark: "bar", data: { url } })).toMatchObject({ chart: { spec: { mark: "bar" } } });
  });
});

describe("rows for the model (T64)", () => {
  it("end at 32 KB, with long cells cut", () => {
    const rows = Array.from({ length: 200 }, (_, n) => ({ n, text: "x".repeat(5000) }));
    const { rows: shown, isCut } = fitting(rows);
    expect(isCut).toBe(true);
    expect(shown.length).toBeGreaterThan(20);
    expect(Buffer.byteLength(JSON.stringify(shown))).toBeLessThanOrEqual(MODEL_RESULT_BYTES_MAX + 2);
  });

  it("of a very wide table include part of the first one", () => {
    const wide = Object.fromEntries(Array.from({ length: 600 }, (_, n) => [`c${n}`, "x".repeat(500)]));
    const { rows, isCut } = fitting([wide, wide]);
    expect([rows.length, isCut]).toEqual([1, true]);
  });
});

it("describes a table with its references in both directions", () => {
  const column = { name: "id", type: "integer", nullable: false, primaryKey: true };
  const entities = [
    { name: "orders", schema: "s", kind: "table", columns: [column] },
    {
      name: "items",
      schema: "s",
      kind: "table",
      columns: [column],
      foreignKeys: [{ columns: ["order_id"], references: { schema: "s", name: "orders", columns: ["id"] } }],
    },
  ] as Entity[];
  const [orders, items] = entities.map((entity) => toDescription(entities, entity));
  expect(orders?.referencedBy).toEqual([{ name: "items", schema: "s", columns: ["id"], foreignColumns: ["order_id"] }]);
  expect(items?.foreignKeys).toMatchObject([{ columns: ["order_id"], references: { name: "orders" } }]);
});

describe("shortened output", () => {
  it("keeps a list up to a number of bytes, and at least its first item", () => {
    const items = ["a", "bb", "ccc"];
    expect(upToBytes(items, 4 + 5)).toEqual(["a", "bb"]);
    expect(upToBytes(items, 4 + 4)).toEqual(["a"]);
    expect(upToBytes(items, 0)).toEqual(["a"]);
    expect(upToBytes(items, 100)).toEqual(items);
    expect(upToBytes([], 0)).toEqual([]);
  });

  it("ends a text with a whole character", () => {
    expect([beginningOf("abc", 2), beginningOf("abc", 3), beginningOf("abc", 4)]).toEqual(["ab", "abc", "abc"]);
    expect([0, 1, 2, 3, 4].map((bytes) => beginningOf("üü", bytes))).toEqual(["", "", "ü", "ü", "üü"]);
    expect([3, 4, 5, 7, 8].map((bytes) => beginningOf("\u{1f600}\u{1f600}", bytes))).toEqual(
      ["", "\u{1f600}", "\u{1f600}", "\u{1f600}", "\u{1f600}\u{1f600}"], // biome-ignore format: as above
    );
    expect([shortText("abc", 3), shortText("abcd", 3)]).toEqual(["abc", "abc…"]);
  });
});
