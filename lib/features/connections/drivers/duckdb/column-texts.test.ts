import fc from "fast-check";
import { expect, it } from "vitest";
import type { ByteColumn } from "@/lib/base/values/fields";
import type { TargetColumn } from "../shared/flows/table-shape";
import { ColumnTexts } from "./column-texts";

const SEPARATOR = "\x7f";
const NULL = "\\N";
const WIDTH = 3;
const TEXT: ByteColumn = { form: "text", decode: (text) => text };
const COLUMN: TargetColumn = { ...{ name: "a", type: "string", dbType: "VARCHAR", nullable: true }, from: "string" };

type Cell = string | null;

/** Returns rows as PostgreSQL sends them. */
function toBytes(rows: readonly Cell[][]): Buffer {
  return Buffer.concat(
    rows.map((row) => {
      const cells = row.map((cell) => {
        const text = Buffer.from(cell ?? "");
        const length = Buffer.alloc(4);
        length.writeInt32BE(cell === null ? -1 : text.length);
        return Buffer.concat([length, text]);
      });
      const body = Buffer.concat(cells);
      const head = Buffer.alloc(7);
      head.write("D");
      head.writeInt32BE(body.length + 6, 1);
      head.writeInt16BE(row.length, 5);
      return Buffer.concat([head, body]);
    }),
  );
}

/** Cells of all lengths around that of a copying call, and of 127 bytes, whose length has the separator's code. */
const cell = fc.oneof(
  fc.constant(null),
  fc.string({ unit: "binary", maxLength: 60 }),
  fc.constantFrom("", "x".repeat(127), NULL, `${NULL}x`, `${"y".repeat(50)}${SEPARATOR}`),
);
const rows = fc.array(fc.array(cell, { minLength: WIDTH, maxLength: WIDTH }), { minLength: 1, maxLength: 20 });

it("joins the cells of each column, unless DuckDB would split or read one of them differently", () => {
  const texts = new ColumnTexts();
  fc.assert(
    fc.property(rows, (given) => {
      const raw = { bytes: toBytes(given), columns: [TEXT, TEXT, TEXT] };
      const answer = texts.of({ raw, rowCount: given.length }, [COLUMN, COLUMN, COLUMN], String);
      const isAmbiguous = given.flat().some((each) => each === NULL || each?.includes(SEPARATOR));
      const joined = [0, 1, 2].map((index) => given.map((row) => row[index] ?? NULL).join(SEPARATOR));
      expect(answer?.map(String) ?? null).toEqual(isAmbiguous ? null : joined);
    }),
    { numRuns: 500 },
  );
});
