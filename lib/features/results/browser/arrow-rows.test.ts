import { expect, it } from "vitest";
import type { Field, FieldType } from "@/lib/base/values/fields";
import { arrow } from "@/lib/features/query/serialize/arrow";
import { readArrowRows } from "@/lib/features/results/browser/arrow-rows";

const field = (name: string, type: FieldType): Field => ({ name, type, dbType: `${type} of the engine` });

it("returns stored values with nulls across batches", () => {
  const fields = [
    field("n", "int32"),
    field("big", "int64"),
    field("f", "float64"),
    field("b", "boolean"),
    field("t", "string"),
    field("d", "decimal"),
    field("raw", "binary"),
    field("j", "json"),
  ];
  const first = [1, "9007199254740993", 1.5, true, "Größe 😀", "12345678901234567890.10", "AAEC", { a: [1, null] }];
  const second = [-2, 42, "Infinity", false, "[no json", "0.1", "", "plain"];
  const format = arrow(fields);
  const batch = (...rows: unknown[][]) => ({
    rowCount: rows.length,
    columns: fields.map((_, column) => rows.map((row) => row[column] ?? null)),
  });
  const bytes = Buffer.concat([
    format.head(),
    format.batch(
      batch(
        first,
        fields.map(() => null),
      ) as never,
      2,
    ),
    format.batch(batch(second) as never, 1),
    format.tail(),
  ]);
  const read = readArrowRows(bytes);
  expect(read.fields).toEqual(fields);
  expect(read.rows.map((row) => Object.values(row))).toEqual([first, fields.map(() => null), second]);
});

it("reads a result without rows", () => {
  const format = arrow([field("n", "int32")]);
  const { fields, rows } = readArrowRows(Buffer.concat([format.head(), format.tail()]));
  expect([fields.length, rows]).toEqual([1, []]);
});
