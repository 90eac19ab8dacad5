import { expect, test } from "vitest";
import type { Entity } from "@/lib/base/values/fields";
import {
  findTable,
  toReferredRows,
  toReferringRows,
  toTableAddress,
} from "@/lib/features/connections/browser/table-links";

const places: Entity = { name: "places", schema: "geo", kind: "table", columns: [] };
const people: Entity = {
  name: "people",
  kind: "table",
  columns: [],
  foreignKeys: [
    { columns: ["boss_id"], references: { name: "people", columns: ["id"] } },
    { columns: ["country", "city"], references: { schema: "geo", name: "places", columns: ["land", "town"] } },
  ],
};
const other: Entity = { ...people, name: "other", foreignKeys: people.foreignKeys?.slice(1) };
const all = [places, people, other];
const is = (column: string, value: string) => ({ column, op: "is", value });
const textOf = (values: Record<string, string>) => (column: string) => values[column] ?? null;

test("links a key's cell to the referenced row by the whole key", () => {
  const row = textOf({ boss_id: "9007199254740993", country: "de", city: "it's" });
  expect(toReferredRows(people, "boss_id", row)).toEqual([
    {
      table: { name: "people" },
      named: { sort: null, filters: [is("id", "9007199254740993")] },
      label: "people, id = 9007199254740993",
    },
  ]);
  expect(toReferredRows(people, "city", row)).toEqual([
    {
      table: { name: "places", schema: "geo" },
      named: { sort: null, filters: [is("land", "de"), is("town", "it's")] },
      label: "places, land = de, town = it's",
    },
  ]);
  expect(toReferredRows(people, "name", row)).toEqual([]);
  // A key with a null value refers to nothing.
  expect(toReferredRows(people, "city", textOf({ city: "Ulm" }))).toEqual([]);
});

test("links a row to referencing rows in the same schema only", () => {
  expect(toReferringRows(all, places, textOf({ land: "de", town: "Ulm" })).map(({ label }) => label)).toEqual([
    "people, country = de, city = Ulm",
    "other, country = de, city = Ulm",
  ]);
  expect(toReferringRows(all, { ...places, schema: "moon" }, textOf({ land: "de", town: "Ulm" }))).toEqual([]);
  expect(toReferringRows(all, people, textOf({ id: "1" })).map(({ table }) => table.name)).toEqual(["people"]);
});

test("finds a table by name, and puts its filters in the URL", () => {
  expect(findTable(all, { name: "places", schema: "geo" })).toBe(places);
  expect(findTable(all, { name: "places", schema: "moon" })).toBeNull();
  expect(
    toTableAddress("acme", "c1", { name: "a&b", schema: "s" }, { sort: null, filters: [is("id", "1") as never] }),
  ).toBe("/w/acme/tables/c1?name=a%26b&schema=s&filter=%5B%22id%22%2C%22is%22%2C%221%22%5D");
});
