import { ObjectId } from "mongodb";
import { describe, expect, it } from "vitest";
import { driverOf } from "@/lib/features/connections/drivers/registry";
import { AppError } from "@/lib/platform/http/errors";
import { judgeNames } from "./definition";
import type { FlowDefinition } from "./model";

const connectionId = new ObjectId();

function sync(entity: string, destination: { table?: string; schema?: string } = {}): FlowDefinition {
  return {
    type: "sync",
    source: { connectionId, entities: [{ name: "a" }, { name: entity }] },
    destination: { connectionId, write: "append", ...destination },
    mode: "full",
  };
}

function pathOf(definition: FlowDefinition, type: string): string | null {
  try {
    judgeNames(definition, driverOf(type).nameLimit);
    return null;
  } catch (error) {
    const { kind, details } = error as AppError;
    expect([error instanceof AppError, kind]).toEqual([true, "invalid_request"]);
    return (details as { path: string }[])[0]?.path ?? "";
  }
}

const x = (count: number, char = "x") => char.repeat(count);

describe("C16 names that a destination would truncate", () => {
  it.each<[string, string, FlowDefinition, string | null]>([
    ["postgres", "a table of 63 bytes", sync("b", { table: x(63) }), null],
    ["postgres", "a table of 64 bytes", sync("b", { table: x(64) }), "destination.table"],
    ["postgres", "a table of 31 umlauts", sync("b", { table: x(31, "ü") }), null],
    ["postgres", "a table of 32 umlauts", sync("b", { table: x(32, "ü") }), "destination.table"],
    ["postgres", "a table of 16 emoji", sync("b", { table: x(16, "😀") }), "destination.table"],
    ["postgres", "an entity of 63 bytes", sync(x(63)), null],
    ["postgres", "an entity of 64 bytes", sync(x(64)), "source.entities.1.name"],
    ["postgres", "an entity of 22 kanji", sync(x(22, "日")), "source.entities.1.name"],
    ["postgres", "a long entity with a short table", sync(x(64), { table: "t" }), null],
    ["postgres", "a schema of 64 bytes", sync("b", { schema: x(64) }), "destination.schema"],
    ["mysql", "a table of 64 characters", sync("b", { table: x(64, "ü") }), null],
    ["mysql", "a table of 65 characters", sync("b", { table: x(65) }), "destination.table"],
    ["mysql", "an entity of 65 umlauts", sync(x(65, "ü")), "source.entities.1.name"],
    ["sqlite", "a table of 255 characters", sync("b", { table: x(255) }), null],
    ["duckdb", "a table of 255 characters", sync("b", { table: x(255) }), null],
  ])("C16 %s checks %s", (type, _, definition, path) => {
    expect(pathOf(definition, type)).toBe(path);
  }); // biome-ignore format: a line each
});
