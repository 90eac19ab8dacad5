import { describe, expect, it } from "vitest";
import type { Flow } from "@/lib/features/flows/schema";
import {
  type FlowDraft, findDraftProblems, guessCursor, NEW_FLOW, settle, toChosen, toCreateBody, toDraft, toFlowField, toNames, toUpdateBody,
} from "./flow-form"; // biome-ignore format: one look at the whole list

const [FROM, TO] = ["a".repeat(24), "b".repeat(24)];
const column = (name: string, type: string, primaryKey = false) => ({ name, type, nullable: false, primaryKey });
const draft = (more: Partial<FlowDraft> = {}): FlowDraft => ({
  ...NEW_FLOW,
  name: " Orders ",
  sourceId: FROM,
  destinationId: TO,
  entities: [{ name: "orders", schema: "shop", cursorField: "updated_at", primaryKey: ["id"] }],
  ...more,
});
const FLOW = {
  id: "c".repeat(24),
  name: "Orders",
  type: "sync",
  source: { connectionId: FROM, entities: [{ name: "orders", schema: "shop", cursorField: "updated_at", primaryKey: ["id"] }] },
  destination: { connectionId: TO, write: "replace" },
  mode: "full",
  schedule: null,
  enabled: true,
  updatedAt: "2026-01-01T00:00:00.000Z",
} as Flow; // biome-ignore format: laid out like the request

describe("the body of a new flow", () => {
  it("is its definition without defaults", () => {
    expect(toCreateBody(draft(), true)).toEqual({
      name: "Orders",
      type: "sync",
      source: FLOW.source,
      destination: FLOW.destination,
      mode: "full",
      enabled: true,
      trigger: true,
    });
    expect(toCreateBody(draft({ type: "query", query: "select 1", table: " ones " }), false)).toMatchObject({
      type: "query",
      source: { connectionId: FROM, query: "select 1" },
      destination: { table: "ones" },
      trigger: false,
    });
    const schedule = { cron: "0 3 * * *", timezone: "UTC", enabled: true };
    const webhook = toCreateBody(draft({ type: "webhook", write: "append", schedule }), true);
    expect([webhook.source, webhook.schedule, webhook.mode]).toEqual([undefined, undefined, undefined]);
  });
});

describe("a change", () => {
  it("has only changed fields, and the base version", () => {
    const base = { updatedAt: FLOW.updatedAt };
    expect(toUpdateBody(toDraft(FLOW), FLOW)).toEqual(base);
    expect(toUpdateBody({ ...toDraft(FLOW), name: "All orders" }, FLOW)).toEqual({ ...base, name: "All orders" });
    expect(toUpdateBody({ ...toDraft(FLOW), write: "append" }, FLOW)).toEqual({
      ...base,
      destination: { connectionId: TO, write: "append" },
    });
    const schedule = { cron: "0 3 * * *", timezone: "UTC", enabled: true };
    expect(toUpdateBody({ ...toDraft(FLOW), schedule }, FLOW)).toEqual({ ...base, schedule });
    const withSchedule = { ...FLOW, schedule: { ...schedule, nextRuns: [], ownerId: TO, updatedAt: FLOW.updatedAt } };
    expect(toUpdateBody(toDraft(withSchedule), withSchedule)).toEqual(base);
    expect(toUpdateBody({ ...toDraft(withSchedule), schedule: null }, withSchedule)).toEqual({
      ...base,
      schedule: null,
    });
  });
});

describe("a missing field", () => {
  it("is named by its field", () => {
    const fields = (more: Partial<FlowDraft>) => Object.keys(findDraftProblems(draft(more)));
    expect(fields({})).toEqual([]);
    expect(Object.keys(findDraftProblems(NEW_FLOW))).toEqual(["name", "sourceId", "entities", "destinationId"]);
    const bare = [{ name: "orders", cursorField: "", primaryKey: [] }];
    expect(fields({ mode: "incremental", write: "upsert", entities: bare })).toEqual([
      "entities.0.cursorField",
      "entities.0.primaryKey",
    ]);
    expect(fields({ type: "query", write: "upsert" })).toEqual(["query", "queryKey"]);
    expect(fields({ type: "webhook", sourceId: "" })).toEqual([]);
  });

  it("is not required if another choice rules it out", () => {
    expect(settle(draft({ mode: "incremental" })).write).toBe("upsert");
    expect(settle(draft({ type: "webhook", mode: "incremental" }))).toMatchObject({ mode: "full", write: "append" });
    const two = [...draft().entities, { name: "items", cursorField: "", primaryKey: [] }];
    expect(settle(draft({ entities: two, table: "one" })).table).toBe("");
    expect(settle(draft({ table: "one" })).table).toBe("one");
  });
});

it.each([
  ["source.connectionId", "sourceId"],
  ["source.entities.2.primaryKey.0", "entities.2.primaryKey"],
  ["source.entities.2", "entities"],
  ["source.primaryKey.0", "queryKey"],
  ["destination.table", "table"],
  ["trigger", null],
])("places a problem of the server's %s at %s", (path, field) => {
  expect(toFlowField(path)).toBe(field);
});

describe("a cursor field", () => {
  it.each([
    ["when a row was changed", [column("id", "bigint", true), column("created_at", "timestamp"), column("updated_at", "timestamptz")], "updated_at"],
    ["else when it was made", [column("id", "bigint", true), column("placed_at", "timestamp")], "placed_at"],
    ["else the number that counts rows", [column("id", "integer", true), column("name", "text")], "id"],
    ["no number of several", [column("a", "integer", true), column("b", "integer", true)], ""],
    ["no text that is called so", [column("updated_at", "text")], ""],
  ])("is suggested: %s", (_, columns, cursor) => expect(guessCursor(columns)).toBe(cursor)); // biome-ignore format: a line each

  it("is suggested with the primary key if the columns are known", () => {
    const columns = [column("a", "text", true), column("b", "text", true), column("at", "date")];
    expect(toChosen({ name: "t", schema: "s", kind: "table", columns })).toEqual({
      name: "t",
      schema: "s",
      cursorField: "",
      primaryKey: ["a", "b"],
    });
    expect(toChosen({ name: "r", kind: "resource" })).toEqual({ name: "r", cursorField: "", primaryKey: [] });
  });
});

it("lists names with commas", () => {
  expect(toNames(" a, b ,, a")).toEqual(["a", "b"]);
});
