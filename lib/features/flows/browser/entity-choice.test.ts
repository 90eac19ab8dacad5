import { describe, expect, it } from "vitest";
import type { Entity } from "@/lib/base/values/fields";
import { schemasOf, toEntityChoices } from "./entity-choice";

const entity = (name: string, schema?: string): Entity => ({ name, kind: "table", ...(schema && { schema }) });
const picked = (name: string, schema?: string) => ({ ...entity(name, schema), cursorField: "", primaryKey: [] });
const ALL = [entity("orders", "shop"), entity("order_items", "shop"), entity("orders", "archive")];
const ANY = { search: "", schema: "" };

describe("toEntityChoices", () => {
  it("lists chosen entities although the search does not match them", () => {
    const { chosen, rest, hasHits } = toEntityChoices(ALL, [picked("orders", "shop")], { search: " ITEM", schema: "" });
    expect([chosen.map(({ name }) => name), rest.map(({ name }) => name), hasHits]).toEqual([
      ["orders"],
      ["order_items"],
      true,
    ]);
  });

  it("distinguishes entities of one name by their schemas", () => {
    const { rest } = toEntityChoices(ALL, [picked("orders", "shop")], ANY);
    expect(rest).toEqual([ALL[1], ALL[2]]);
    expect(toEntityChoices(ALL, [], { search: "", schema: "archive" }).rest).toEqual([ALL[2]]);
  });

  it("keeps a chosen entity that the source no longer has", () => {
    expect(toEntityChoices(ALL, [picked("gone")], ANY).chosen).toMatchObject([{ name: "gone", isGone: true }]);
  });
});

it("lists each schema once, sorted", () => {
  expect(schemasOf([...ALL, entity("loose")])).toEqual(["", "archive", "shop"]);
});
