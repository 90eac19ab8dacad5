import type { Field, FieldType } from "@/lib/base/values/fields";

/** A column as the database describes it. `dbType` is written as the database reads it in CREATE TABLE. */
export type TableColumn = Field & {
  nullable: boolean;
  /** The database computes it: nobody writes it. */
  isGenerated?: true;
};

/** A column that is written to, and the type of the values that come. */
export type TargetColumn = TableColumn & { from: FieldType };

/** A table that is there. Names are the database's own spelling. */
export type TableShape = {
  schema: string | null;
  name: string;
  columns: TableColumn[];
  /** Its columns in the order of the key; empty without one. */
  primaryKey: string[];
  /** The columns of each unique index, the primary key's included. */
  uniqueKeys: string[][];
};

/** Names that a database folds are equal in any case: `same` says how it compares them. */
export function findColumn(shape: TableShape, name: string, same = (left: string, right: string) => left === right) {
  return (
    shape.columns.find((column) => column.name === name) ?? shape.columns.find((column) => same(column.name, name))
  );
}
