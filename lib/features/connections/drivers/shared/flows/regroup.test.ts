import { describe, expect, it } from "vitest";
import type { Batch, ByteColumn, WireValue } from "@/lib/base/values/fields";
import { byteBatch } from "@/lib/base/values/row-bytes";
import { toDataRows } from "@/test/fixtures/connections/data-rows";
import { regroup } from "./regroup";

const COLUMNS: ByteColumn[] = [
  { form: "integer", decode: Number },
  { form: "text", decode: (text) => text },
];

/** Returns a batch in the layout of PostgreSQL's rows. */
function inBytes(rows: readonly (readonly [string | null, string | null])[]): Batch {
  return byteBatch(toDataRows(rows), rows.length, COLUMNS);
}

async function regrouped(batches: readonly Batch[], batchRows: number) {
  const given = (async function* () {
    yield* batches;
  })();
  const found: { isRaw: boolean; rows: WireValue[][] }[] = [];
  for await (const { raw, rowCount, columns } of regroup(given, 2, batchRows)) {
    const rows = Array.from({ length: rowCount }, (_, row) => columns.map((column) => column[row] ?? null));
    found.push({ isRaw: raw !== undefined, rows });
  }
  return found;
}

describe("batches of bytes", () => {
  const first = inBytes([["1", "a"], [null, "ü\t"], ["3", null]]); // biome-ignore format: three rows
  const second = inBytes([["4", ""], ["5", "e"]]); // biome-ignore format: two rows

  it("are split and joined as bytes", async () => {
    // A batch has four times as many rows as one of values.
    expect(await regrouped([first, second], 1)).toEqual([
      { isRaw: true, rows: [[1, "a"], [null, "ü\t"], [3, null], [4, ""]] },
      { isRaw: true, rows: [[5, "e"]] },
    ]); // biome-ignore format: a batch a line
  });

  it("become values beside values, in the same order", async () => {
    const values = { rowCount: 1, columns: [[9], ["i"]] };
    expect(await regrouped([second, values, second], 10)).toEqual([
      { isRaw: false, rows: [[4, ""], [5, "e"], [9, "i"], [4, ""], [5, "e"]] },
    ]); // biome-ignore format: a batch a line
  });
});
