import { collectionText, sameText, toShell } from "@/lib/base/mongo-shell/write";
import { DIALECTS, type SqlDialect } from "@/lib/base/sql/dialects/registry";
import { toSqlName, toSqlTable, toSqlText } from "@/lib/base/sql/names";
import type { ValueHit } from "./link";
import type { Ref } from "./plan";
import type { Schema, Table } from "./schema";

/** Searches the database for columns with words of the question, in one bounded query. */

/** Maximum number of columns in one search. */
const COLUMNS_MAX = 64;
/**
 * Rows of a table in which a word is searched. All columns together are read in a third of a second, for any size of
 * the tables: a value that only later rows have is unknown.
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
      const some = `(select ${text} as found from ${toSqlTable(table, dialect)} limit ${ROWS_MAX}) as s${i}`;
      return `select * from (select distinct ${i} as place, found from ${some} where lower(found) in (${list}) limit ${HITS_OF_COLUMN_MAX}) as t${i}`;
    })
    .join("\nunion all\n");
}

export function readHits(rows: readonly Record<string, unknown>[], refs: readonly Ref[]): ValueHit[] {
  return rows.flatMap((row) => {
    const ref = refs[Number(row.place)];
    return ref && typeof row.found === "string" ? [{ ref, value: row.found, isExact: false }] : [];
  });
}

/** Returns the same search for collections. */
export function lookupPipeline(refs: readonly Ref[], wordings: readonly string[]): string {
  const patterns = wordings.map(sameText);
  const [first, ...others] = refs.map(({ table, column }, place) => ({
    table,
    stages: [
      { $limit: ROWS_MAX },
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
