import type { Field, FieldType } from "@/lib/base/values/fields";

type Typed = Pick<Field, "type" | "dbType">;

/** A database's types for columns of a kind: a name, or a function where the source's type decides. */
export type ColumnTypes = Partial<Record<FieldType, string | ((field: Typed) => string)>> & {
  /** The type of every kind that is not listed. */
  other: string;
};

/** Returns the type of a column for a field's values. */
export function columnTypeOf(types: ColumnTypes, field: Typed): string {
  const type = types[field.type] ?? types.other;
  return typeof type === "string" ? type : type(field);
}

/** Returns whether times of day of such a column have a zone. */
export function isZonedTime({ dbType }: Pick<Field, "dbType">): boolean {
  return /time zone|timetz|time_tz/i.test(dbType) && !/without/i.test(dbType);
}
