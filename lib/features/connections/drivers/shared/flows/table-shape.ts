import type { Field, FieldType } from "@/lib/base/values/fields";
import { AppError } from "@/lib/platform/http/errors";
import type { ResultStream } from "../../../data-source";

/** A column as the database describes it. `dbType` is in the syntax of CREATE TABLE. */
export type TableColumn = Field & {
  nullable: boolean;
  /** The database computes it: no one writes it. */
  isGenerated?: true;
};

/** A column to write, and the types of the incoming values. */
export type TargetColumn = TableColumn & { from: FieldType; fromDbType?: string };

/** An existing table. Names have the database's spelling. */
export type TableShape = {
  schema: string | null;
  name: string;
  columns: TableColumn[];
  /** Its columns in the order of the key; empty without one. */
  primaryKey: string[];
  /** The columns of each unique index, the primary key's included. */
  uniqueKeys: string[][];
};

/** Finds a column. Names that a database folds are equal in any case: `same` compares names as it does. */
export function findColumn(shape: TableShape, name: string, same = (left: string, right: string) => left === right) {
  return (
    shape.columns.find((column) => column.name === name) ?? shape.columns.find((column) => same(column.name, name))
  );
}

/** Returns the fields of a statement that selects no rows. */
export async function readFields(result: Promise<ResultStream>): Promise<Field[]> {
  const { fields, batches } = await result;
  for await (const _ of batches);
  return fields;
}

/**
 * Describes a table of a database without enforced keys by the fields of an empty result.
 * @param result selects no rows of the table
 * @param missing name and values of the error detail for a missing table
 */
export async function describeByResult(
  { schema, name }: { schema?: string; name: string },
  result: Promise<ResultStream>,
  missing: { detail: string; values: ReadonlySet<string> },
): Promise<TableShape | null> {
  try {
    const columns = (await readFields(result)).map((field) => ({ ...field, nullable: true }));
    return { schema: schema ?? null, name, columns, primaryKey: [], uniqueKeys: [] };
  } catch (error) {
    const details: unknown = error instanceof AppError ? error.details : undefined;
    const value = (details as Record<string, unknown> | undefined)?.[missing.detail];
    if (missing.values.has(String(value))) return null;
    throw error;
  }
}
