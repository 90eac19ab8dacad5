import type { SqlDialect } from "@/lib/base/sql/dialects/registry";
import { readScope } from "@/lib/base/sql/scope";
import type { Entity } from "@/lib/base/values/fields";
import type { ResultField } from "@/lib/base/values/json-rows";

/** A SELECT of plain column names, or of all columns, from a name. No further table and no function may follow it. */
const PLAIN_SELECT =
  /^\s*select\s+((?:[\w$]+\.)?\*|[\w$."`]+(?:\s*,\s*[\w$."`]+)*)\s+from\s+[\w$."`]+(?:\s+(?:as\s+)?[\w$"`]+)?\s*(?:;?\s*$|\b(?:where|order|limit|offset|fetch)\b)/i;
/** Words of statements whose rows are not rows of one table. They may also be in a text: then rows are not edited. */
const COMBINES =
  /\b(?:distinct|join|group|having|union|intersect|except|minus|window|over|with|tablesample|unnest|lateral)\b/i;

/**
 * Returns the table whose rows a result has: that of a SELECT from it alone, with plain columns and its primary key.
 * Null for any other statement, and for a name that several schemas have.
 */
export function findSelectedTable(
  statement: string,
  dialect: SqlDialect,
  { entities, fields }: { entities: readonly Entity[]; fields: readonly ResultField[] },
): Entity | null {
  const list = PLAIN_SELECT.exec(statement)?.[1];
  if (list === undefined || COMBINES.test(statement)) return null;
  const { tables, ctes } = readScope(statement, dialect);
  const [only, ...others] = tables;
  if (!only || others.length > 0 || ctes.length > 0) return null;
  const found = entities.filter(({ name, schema }) => name === only.name && (only.schema ?? schema) === schema);
  // A table listed without a schema is in the default one.
  const [entity = null, ambiguous] = found.length > 1 ? found.filter(({ schema }) => schema === undefined) : found;
  if (ambiguous) return null;
  const columns = entity?.columns ?? [];
  const isOfTable = fields.every(({ name }) => columns.some((column) => column.name === name));
  const hasKey = columns.every((column) => !column.primaryKey || fields.some(({ name }) => name === column.name));
  return isOfTable && hasKey && isListed(list, fields) ? entity : null;
}

/** Returns whether each field has the name of its column: of a repeated column, a second one may get another name. */
function isListed(list: string, fields: readonly ResultField[]): boolean {
  if (list.endsWith("*")) return true;
  const names = list.split(",").map((item) => /[^."`]+(?=["`\s]*$)/.exec(item)?.[0]?.trim().toLowerCase());
  return names.length === fields.length && fields.every(({ name }, at) => name.toLowerCase() === names[at]);
}
