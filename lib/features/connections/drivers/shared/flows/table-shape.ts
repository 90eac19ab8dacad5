import type { Field, FieldType } from "@/lib/base/values/fields";

/** A column as the database describes it. `dbType` is in the syntax of CREATE TABLE. */
export type TableColumn = Field & {
  nullable: boolean;
  /** The database computes it: no one writes it. */
  isGenerated?: true;
};

/** A column to write, and the type of the incoming values. */
export type TargetColumn = TableColumn & { from: FieldType };

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
