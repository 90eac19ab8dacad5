import { expect, test } from "vitest";
import type { DataSource } from "./data-source";
import { requireQueryable } from "./queryable";

const SOURCE: DataSource = { entities: async () => [], test: async () => ({}), close: async () => {} };

test("reports a source that only flows can read instead of running a query", () => {
  expect(() => requireQueryable(SOURCE)).toThrow(
    expect.objectContaining({ kind: "invalid_request", message: expect.stringContaining("can't be queried") }),
  );
  const queryable = { ...SOURCE, query: async () => ({ fields: [], batches: (async function* () {})() }) };
  expect(requireQueryable(queryable)).toBe(queryable);
});
