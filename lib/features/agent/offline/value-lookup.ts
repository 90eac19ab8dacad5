import { collectionText, sameText, toShell } from "@/lib/base/mongo-shell/write";
import { DIALECTS, type SqlDialect } from "@/lib/base/sql/dialects/registry";
import { toSqlName, toSqlTable, toSqlText } from "@/lib/base/sql/names";
import type { ValueHit } from "./link";
import type { Ref } from "./plan";
import type { Column, Schema, Table } from "./schema";

/** Searches the database for columns with words of the question, in one bounded query. */

/** Maximum number of columns in one search. */
const COLUMNS_MAX = 64;
/**
 * Rows of a table in which a word is searched: the first ones, or half of them and the last ones by a key of whole
 * numbers where the database finds those, since states such as "shipped" are those of new rows. All columns together are
 * read in a third of a second, for any size of the tables: a value that only other rows have is unknown.
 */
const ROWS_MAX = 10_000;
const HITS_OF_COLUMN_MAX = 8;

/** Texts that do not identify rows: addresses, notes and keys. */
const UNLIKELY = new Set([
  "email",
  "mail",
  "url",
  "path",
  "hash",
  "token",
  "password",
  "phone",
  "description",
  "comment",
  "note",
  "bodi",
  "body",
  "content",
  "session",
  "uuid",
  "json",
  "sku",
]);

/**
 * Returns the columns to search, those of the closest tables first. Views are left out: the first row of one may take as
 * long as all of them.
 */
export function lookupColumns(schema: Schema, near: readonly Table[]): Ref[] {
  const distance = (table: Table) => Math.min(9, ...near.map((each) => schema.path(each, table)?.length ?? 9));
  return schema.tables
    .filter(({ isView }) => !isView)
    .map((table) => ({ table, at: near.length === 0 ? 0 : distance(table) }))
    .sort((a, b) => a.at - b.at)
    .flatMap(({ table }) =>
      table.columns
        .filter(
          ({ kind, type, words }) =>
            kind === "text" && !/^uuid/i.test(type) && !words.some((word) => UNLIKELY.has(word)),
        )
        .map((column) => ({ table, column })),
    )
    .slice(0, COLUMNS_MAX);
}

export function lookupSql(refs: readonly Ref[], wordings: readonly string[], dialect: SqlDialect): string {
  const list = wordings.map((wording) => toSqlText(wording, dialect)).join(", ");
  return refs
    .map(({ table, column }, i) => {
      const name = toSqlName(column.name, dialect);
      const text = DIALECTS[dialect].toTextColumn?.(name) ?? name;
      const source = toSqlTable(table, dialect);
      const key = lastRowsKey(table);
      const keyName = key && toSqlName(key.name, dialect);
      const half = ROWS_MAX / 2;
      const last = keyName && DIALECTS[dialect].toLastRows?.(keyName, source, half);
      const rowsOf = (clauses: string) => `select ${text} as found from ${source}${clauses}`;
      const some = last
        ? `(select found from (${rowsOf(` limit ${half}`)}) as a${i} union all select found from (${rowsOf(last)}) as b${i}) as s${i}`
        : `(${rowsOf(` limit ${ROWS_MAX}`)}) as s${i}`;
      return `select * from (select distinct ${i} as place, found from ${some} where lower(found) in (${list}) limit ${HITS_OF_COLUMN_MAX}) as t${i}`;
    })
    .join("\nunion all\n");
}

/** Returns the key by which the last rows of a large table are read; null of a small one, or without such a key. */
function lastRowsKey({ columns, rowEstimate }: Table): Column | null {
  const keys = columns.filter(({ isKey }) => isKey);
  const [key] = keys;
  const isLarge = rowEstimate !== null && rowEstimate > ROWS_MAX;
  return key && keys.length === 1 && isLarge && /int|serial/i.test(key.type) ? key : null;
}

export function readHits(rows: readonly Record<string, unknown>[], refs: readonly Ref[]): ValueHit[] {
  const seen = new Set<string>();
  return rows.flatMap((row) => {
    const ref = refs[Number(row.place)];
    if (!ref || typeof row.found !== "string") return [];
    // Both halves of a collection may have a value.
    const key = `${row.place} ${row.found}`;
    if (seen.has(key)) return [];
    seen.add(key);
    return [{ ref, value: row.found, isExact: false }];
  });
}

/** Returns the same search for collections. */
export function lookupPipeline(refs: readonly Ref[], wordings: readonly string[]): string {
  const patterns = wordings.map(sameText);
  const halves = refs.flatMap(({ table, column }, place) =>
    (table.rowEstimate ?? 0) > ROWS_MAX
      ? [[], [{ $sort: { _id: -1 } }]].map((order) => ({ table, column, place, order, limit: ROWS_MAX / 2 }))
      : [{ table, column, place, order: [], limit: ROWS_MAX }],
  );
  const [first, ...others] = halves.map(({ table, column, place, order, limit }) => ({
    table,
    stages: [
      ...order,
      { $limit: limit },
      { $match: { [column.name]: { $in: patterns } } },
      { $group: { _id: `$${column.name}` } },
      { $limit: HITS_OF_COLUMN_MAX },
      { $project: { _id: 0, place: { $literal: place }, found: "$_id" } },
    ],
  }));
  if (!first) return "";
  const unions = others.map(({ table, stages }) => ({ $unionWith: { coll: table.name, pipeline: stages } }));
  return `${collectionText(first.table)}.aggregate(${toShell([...first.stages, ...unions])})`;
}
