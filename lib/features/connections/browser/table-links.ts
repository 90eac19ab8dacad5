import type { Entity } from "@/lib/base/values/fields";
import type { EntityName } from "@/lib/features/connections/schema";
import { NAMED_PLAIN, type NamedArrangement, toTableParams } from "@/lib/features/results/browser/table-address";

/** A link from one row to the rows of a table whose columns have its values. */
export type TableLink = { table: EntityName; named: NamedArrangement; label: string };

/** Maximum number of referring tables in a menu. */
const REFERRING_MAX = 20;
const SHOWN_LETTERS = 32;

/** Returns the address of a table's rows. */
export function toTableAddress(
  slug: string,
  connectionId: string,
  { name, schema }: EntityName,
  named: NamedArrangement = NAMED_PLAIN,
): string {
  const params = new URLSearchParams([
    ["name", name],
    ...(schema ? [["schema", schema]] : []),
    ...toTableParams(named),
  ]);
  return `/w/${slug}/tables/${connectionId}?${params}`;
}

/** Finds a table in the list, which omits the default schema. */
export function findTable(entities: readonly Entity[], { name, schema }: EntityName): Entity | null {
  return entities.find((each) => each.name === name && (schema === undefined || each.schema === schema)) ?? null;
}

/** Returns a column's value in the row, as text; null for none, which refers to nothing. */
type TextOf = (column: string) => string | null;

/** Returns links to the rows that a column's foreign keys reference, each key with all of its columns. */
export function toReferredRows({ foreignKeys = [] }: Entity, column: string, textOf: TextOf): TableLink[] {
  return foreignKeys
    .filter(({ columns }) => columns.includes(column))
    .flatMap(({ columns, references }) => toLink(references, references.columns, columns, textOf) ?? []);
}

/** Returns links to the rows that refer to a row by foreign key, in other tables or the same one. */
export function toReferringRows(entities: readonly Entity[], entity: Entity, textOf: TextOf): TableLink[] {
  return entities
    .flatMap((each) =>
      (each.foreignKeys ?? [])
        .filter(({ references }) => references.name === entity.name && references.schema === entity.schema)
        .flatMap(({ columns, references }) => toLink(each, columns, references.columns, textOf) ?? []),
    )
    .slice(0, REFERRING_MAX);
}

function toLink({ name, schema }: EntityName, targets: string[], columns: string[], textOf: TextOf): TableLink | null {
  const filters = targets.flatMap((column, i) => {
    const value = textOf(columns[i] ?? "");
    return value === null ? [] : [{ column, op: "is" as const, value }];
  });
  if (filters.length === 0 || filters.length < targets.length) return null;
  const words = filters.map(({ column, value }) => `${column} = ${value}`).join(", ");
  const short = words.length > SHOWN_LETTERS ? `${words.slice(0, SHOWN_LETTERS)}…` : words;
  return { table: { name, ...(schema && { schema }) }, named: { sort: null, filters }, label: `${name}, ${short}` };
}
