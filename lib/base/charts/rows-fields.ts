import type { CellTable, CellValue, ResultField, ResultRow } from "@/lib/base/values/json-rows";

const DAY = /^\d{4}-\d\d-\d\d$/;
const STAMP = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d/;

/** Derives columns from the values of untyped rows. */
export function toFields(rows: readonly ResultRow[]): ResultField[] {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  return names.map((name) => {
    const values = rows.flatMap((row) => {
      const value = row[name];
      return value === null || value === undefined ? [] : [value];
    });
    return { name, type: values.length === 0 ? "string" : toType(values) };
  });
}

/** Adapts an answer's rows for reading cell by cell. */
export function toTable(fields: readonly ResultField[], rows: readonly ResultRow[]): CellTable {
  return {
    fields,
    rowCount: rows.length,
    at: (row, column) => rows[row]?.[fields[column]?.name ?? ""] ?? null,
  };
}

function toType(values: CellValue[]): string {
  if (values.every((value) => typeof value === "number")) return "float64";
  if (values.every((value) => typeof value === "boolean")) return "boolean";
  if (values.every((value) => typeof value === "string" && DAY.test(value))) return "date";
  return values.every((value) => typeof value === "string" && STAMP.test(value)) ? "timestamptz" : "string";
}
