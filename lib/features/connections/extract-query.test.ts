import { expect, it } from "vitest";
import type { QueryableSource, QueryOptions } from "./data-source";
import { extractQuery } from "./extract-query";

it("reads a query read-only, in batches that cannot go on, under names of their own", async () => {
  const asked: QueryOptions[] = [];
  const query: QueryableSource["query"] = async (_, options) => {
    asked.push(options);
    const fields = ["id", "ID", "id_2", ""].map((name) => ({ name, type: "int32" as const, dbType: "int" }));
    const batches = (async function* () {
      yield { rowCount: 3, columns: [1, 2, 3, 4].map((value) => [value, value, value]) };
      yield { rowCount: 2, columns: [1, 2, 3, 4].map((value) => [value, value]) };
    })();
    return { fields, batches };
  };
  const signal = new AbortController().signal;
  const { fields, batches } = await extractQuery(
    { query } as QueryableSource,
    { query: "select" },
    { batchRows: 2, signal },
  );
  expect(fields.map(({ name }) => name)).toEqual(["id", "ID_3", "id_2", ""]);
  const found = [];
  for await (const batch of batches) found.push([batch.rowCount, batch.checkpoint]);
  expect(found).toEqual([[2, null], [2, null], [1, null]]); // biome-ignore format: three batches
  expect(asked.map(({ readOnly }) => readOnly)).toEqual([true]);
});
