import type { EntityColumn } from "@/lib/base/values/fields";

/**
 * Groups rows of a catalogue by table, and returns the columns of one.
 * @param rows start with the schema and the table
 */
export function columnsOf<T>(
  rows: readonly (readonly T[])[],
  toColumn: (row: readonly T[]) => EntityColumn,
): (schema: T | undefined, table: T | undefined) => EntityColumn[] {
  const groups = Map.groupBy(rows, ([schema, table]) => JSON.stringify([schema, table]));
  return (schema, table) => (groups.get(JSON.stringify([schema, table])) ?? []).map(toColumn);
}
