import fc from "fast-check";
import { expect, it } from "vitest";
import type { ByteColumn } from "@/lib/base/values/fields";
import { toDataRows } from "@/test/fixtures/connections/data-rows";
import type { TargetColumn } from "../shared/flows/table-shape";
import { ColumnTexts } from "./column-texts";

const SEPARATOR = "\x7f";
const NULL = "\\N";
const WIDTH = 3;
const TEXT: ByteColumn = { form: "text", decode: (text) => text };
const COLUMN: TargetColumn = { ...{ name: "a", type: "string", dbType: "VARCHAR", nullable: true }, from: "string" };

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
      const raw = { bytes: toDataRows(given), columns: [TEXT, TEXT, TEXT] };
      const answer = texts.of({ raw, rowCount: given.length }, [COLUMN, COLUMN, COLUMN], String);
      const isAmbiguous = given.flat().some((each) => each === NULL || each?.includes(SEPARATOR));
      const joined = [0, 1, 2].map((index) => given.map((row) => row[index] ?? NULL).join(SEPARATOR));
      expect(answer?.map(String) ?? null).toEqual(isAmbiguous ? null : joined);
    }),
    { numRuns: 500 },
  );
});
