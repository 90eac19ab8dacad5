import type { SqlDialect } from "@/lib/base/sql/dialects/registry";
import { readScope } from "@/lib/base/sql/scope";
import type { Entity } from "@/lib/base/values/fields";
import type { ResultField } from "@/lib/base/values/json-rows";
import { findTable } from "@/lib/features/connections/browser/table-links";

/** A select list of plain column names, or of all columns. */
const PLAIN_LIST = /^\s*select\s+(?:(?:[\w$]+\.)?\*|[\w$."`]+(?:\s*,\s*[\w$."`]+)*)\s+from\s/i;
/** Words of statements whose rows are not rows of one table. They may also be in a text: then rows are not edited. */
const COMBINES =
  /\b(?:distinct|join|group|having|union|intersect|except|minus|window|over|with|tablesample|unnest|lateral)\b/i;

/**
 * Returns the table whose rows a result has: that of a SELECT from it alone, with plain columns and its primary key.
 * Null for any other statement.
 */
export function findSelectedTable(
  statement: string,
  dialect: SqlDialect,
  { entities, fields }: { entities: readonly Entity[]; fields: readonly ResultField[] },
): Entity | null {
  if (!PLAIN_LIST.test(statement) || COMBINES.test(statement)) return null;
  const { tables, ctes } = readScope(statement, dialect);
  const [only, ...others] = tables;
  if (!only || others.length > 0 || ctes.length > 0) return null;
  const entity = findTable(entities, { name: only.name, ...(only.schema !== null && { schema: only.schema }) });
  const columns = entity?.columns ?? [];
  const isOfTable = fields.every(({ name }) => columns.some((column) => column.name === name));
  const hasKey = columns.every((column) => !column.primaryKey || fields.some(({ name }) => name === column.name));
  return isOfTable && hasKey ? entity : null;
}
