import { DIALECTS, type SqlDialect } from "@/lib/base/sql/dialects/registry";
import { colourOf } from "@/lib/base/sql/highlight";
import { SQL_KEYWORDS } from "@/lib/base/sql/keywords";
import type { SqlPiece, SqlPieceKind } from "@/lib/base/sql/lexer";
import { toSqlName } from "@/lib/base/sql/names";
import { findQualifier, readJoinPlace, readScope, type ScopeTable } from "@/lib/base/sql/scope";
import type { SqlScript } from "@/lib/base/sql/statements";
import { type ColumnKind, toColumnKind } from "@/lib/base/values/column-kind";
import type { Entity, EntityColumn } from "@/lib/features/query/browser/api";
import { SQL_SNIPPETS } from "@/lib/features/query/browser/sql-snippets";

/** A completion item. `rank` is higher the closer it is to the text being typed. */
export type SqlOffer = {
  label: string;
  /** Inserted text if it differs from the label: a quoted name, or the template of a snippet. */
  text: string;
  kind: "column" | "table" | "alias" | "join" | "function" | "keyword" | "snippet";
  columnKind?: ColumnKind;
  /** Mark of a column in a key, or with a foreign key. */
  mark?: "key" | "link";
  detail: string;
  /** Whether a foreign key joins the table to one in the statement. */
  isLinked?: boolean;
  /** Heading and sentence for the side panel; null for none. */
  info: { title: string; text: string } | null;
  rank: number;
};

const RANK = {
  join: 90,
  linked: 80,
  column: 60,
  alias: 40,
  table: 20,
  function: 0,
  keyword: -20,
  snippet: -30,
} as const;
/** Kinds that are inserted as a name, quoted if needed. */
const NAMED: ReadonlySet<SqlOffer["kind"]> = new Set(["column", "table", "alias"]);
/** Words after which a table is expected. */
const TABLE_WANTED = new Set(["from", "join", "into", "update", "table", "describe", "summarize"]);
const IN_TEXT: ReadonlySet<SqlPieceKind> = new Set(["string", "comment", "hint", "run"]);
const FUNCTIONS = (
  "abs any_value avg ceil coalesce concat count date_diff date_part date_trunc dense_rank extract first_value floor greatest lag last_value lead " +
  "least length list lower max median min mode now nullif percentile_cont quantile_cont rank replace round row_number split_part stddev " +
  "strftime string_agg substring sum trim upper variance"
).split(" ");

/**
 * Returns the completions at a position. After a dot these are the columns of that table. After FROM and JOIN they are
 * the tables, with those that a foreign key links first. After ON they are the conditions of foreign keys. Elsewhere
 * the columns in scope come before everything else. Items of equal rank keep their order, which for columns is that of
 * their table. Returns nothing in strings and comments.
 * @param position position of the cursor in the text
 */
export function offerSql(script: SqlScript, position: number, entities: Entity[]): SqlOffer[] {
  const { dialect } = script;
  return offerNames(script, position, entities).map((offer) =>
    NAMED.has(offer.kind) ? { ...offer, text: toSqlName(offer.text, dialect) } : offer,
  );
}

/** Returns the same items with unquoted names. */
function offerNames(script: SqlScript, position: number, entities: Entity[]): SqlOffer[] {
  const { text, dialect } = script;
  const before = script.pieces(position, position);
  const last = before.at(-1)?.kind;
  if (last && IN_TEXT.has(last)) return [];
  const statement = script.at(position);
  const scope = readScope(statement?.text ?? "", dialect, position - (statement?.from ?? position));
  const find = entityFinder(entities);
  const isCte = ({ name, schema }: TableName) =>
    schema === null && scope.ctes.some((each) => each.name.toLowerCase() === name.toLowerCase());
  const columnsOf = (table: TableName, owner: string): SqlOffer[] => {
    const cte = isCte(table) && scope.ctes.find((each) => each.name.toLowerCase() === table.name.toLowerCase());
    if (cte) return cte.columns.map((column) => toCteColumn(column, cte.name, owner));
    const entity = find(table);
    return (entity?.columns ?? []).map((column) => toColumn(column, entity as Entity, owner));
  };

  const qualifier = findQualifier(text, position)?.toLowerCase();
  if (qualifier !== undefined) {
    const table = scope.tables.find(({ alias }) => alias.toLowerCase() === qualifier);
    const offers = columnsOf(table ?? { name: qualifier, schema: null }, table?.alias ?? qualifier);
    if (offers.length > 0) return offers;
    return entities.filter((entity) => entity.schema?.toLowerCase() === qualifier).map(toTable);
  }

  // The statement up to the cursor: after its last word there may be only spaces.
  const join = readJoinPlace(text.slice(statement?.from ?? position, position), text.length, dialect);
  const own = (table: ScopeTable): Entity | null => (isCte(table) ? null : find(table));
  if (join.wants === "table") return [...scope.ctes.map(toCte), ...offerLinked(join.tables, own, entities)];
  const conditions = join.wants === "condition" ? offerConditions(join.tables, own, dialect) : [];

  const tables = [...scope.ctes.map(toCte), ...entities.map(toTable)];
  if (wantsTable(text, position, before)) return tables.map((offer) => ({ ...offer, rank: RANK.column }));
  const columns = scope.tables.flatMap((table) => columnsOf(table, table.alias));
  const aliases = scope.tables
    .filter(({ name, alias }) => name !== alias)
    .map(
      ({ name, alias }): SqlOffer => ({
        label: alias,
        text: alias,
        kind: "alias",
        detail: name,
        info: null,
        rank: RANK.alias,
      }),
    );
  return [
    ...conditions,
    ...dropDoubles(columns),
    ...aliases,
    ...tables,
    ...DIALECTS[dialect].functions.map(toFunction),
    ...WORDS,
  ];
}

type TableName = Pick<ScopeTable, "name" | "schema">;
type Find = (table: ScopeTable) => Entity | null;

/**
 * Returns a finder of tables by name. Without a schema it finds the one in the default schema, else the first of that
 * name.
 */
function entityFinder(entities: Entity[]): (table: TableName) => Entity | null {
  const byName = new Map<string, Entity[]>();
  for (const entity of entities) {
    const key = entity.name.toLowerCase();
    byName.set(key, [...(byName.get(key) ?? []), entity]);
  }
  return ({ name, schema }) => {
    const found = byName.get(name.toLowerCase()) ?? [];
    if (schema !== null) {
      const exact = found.find((entity) => entity.schema?.toLowerCase() === schema.toLowerCase());
      // The default schema is not listed with the table.
      return exact ?? found.find((entity) => entity.schema === undefined) ?? null;
    }
    return found.find((entity) => entity.schema === undefined) ?? found[0] ?? null;
  };
}

type Link = { from: Entity; columns: string[]; to: string[] };

/** Returns the foreign keys from one table to another. */
function linksBetween(from: Entity, to: Entity): Link[] {
  return (from.foreignKeys ?? [])
    .filter(({ references }) => references.name === to.name && references.schema === to.schema)
    .map(({ columns, references }) => ({ from, columns, to: references.columns }));
}

/** Puts tables that a foreign key links with one before the JOIN first, starting with those of the nearest. */
function offerLinked(before: ScopeTable[], own: Find, entities: Entity[]): SqlOffer[] {
  const joined = before.toReversed().flatMap((table) => {
    const entity = own(table);
    return entity ? [{ entity, alias: table.alias }] : [];
  });
  const linked: SqlOffer[] = [];
  const rest: SqlOffer[] = [];
  for (const entity of entities) {
    const at = joined.findIndex(
      (each) => linksBetween(entity, each.entity).length > 0 || linksBetween(each.entity, entity).length > 0,
    );
    const to = joined[at];
    if (to)
      linked.push({
        ...toTable(entity),
        detail: `joins ${to.alias}`,
        isLinked: true,
        rank: RANK.linked - Math.min(at, 9),
      });
    else rest.push({ ...toTable(entity), rank: RANK.column });
  }
  return [...linked.sort((a, b) => b.rank - a.rank), ...rest];
}

/** Returns the conditions that join the last table to one before it, from the foreign keys of either. */
function offerConditions(tables: ScopeTable[], own: Find, dialect: SqlDialect): SqlOffer[] {
  const joined = tables.at(-1);
  const entity = joined && own(joined);
  if (!entity) return [];
  const offers = tables
    .slice(0, -1)
    .toReversed()
    .flatMap((other) => {
      const target = own(other);
      if (!target) return [];
      return [
        ...linksBetween(entity, target).map((link) => toCondition(link, joined.alias, other.alias, dialect)),
        ...linksBetween(target, entity).map((link) => toCondition(link, other.alias, joined.alias, dialect)),
      ];
    });
  return dropDoubles(offers).map((offer, at) => ({ ...offer, rank: RANK.join - Math.min(at, 9) }));
}

/** @param owner name of the table with the foreign key in the statement; `target` is that of the other one */
function toCondition({ from, columns, to }: Link, owner: string, target: string, dialect: SqlDialect): SqlOffer {
  const name = (table: string, column: string) => `${toSqlName(table, dialect)}.${toSqlName(column, dialect)}`;
  const text = columns.map((column, i) => `${name(owner, column)} = ${name(target, to[i] ?? column)}`).join(" and ");
  return {
    label: text,
    text,
    kind: "join",
    detail: "",
    info: {
      title: "Foreign key",
      text: `${from.name} (${columns.join(", ")}) references ${target} (${to.join(", ")}).`,
    },
    rank: RANK.join,
  };
}

function toFunction(name: string): SqlOffer {
  return { label: name, text: `${name}(`, kind: "function", detail: "", info: null, rank: RANK.function };
}

const WORDS: SqlOffer[] = [
  ...FUNCTIONS.map(toFunction),
  ...[...SQL_KEYWORDS].map(
    (word): SqlOffer => ({ label: word, text: word, kind: "keyword", detail: "", info: null, rank: RANK.keyword }),
  ),
  ...SQL_SNIPPETS.map(
    ({ name, shows, template }): SqlOffer => ({
      label: name,
      text: template,
      kind: "snippet",
      detail: shows,
      info: null,
      rank: RANK.snippet,
    }),
  ),
];

function toColumn(column: EntityColumn, entity: Entity, owner: string): SqlOffer {
  const type = column.type.toLowerCase();
  const link = entity.foreignKeys?.find(({ columns }) => columns.includes(column.name));
  const target = link && `${link.references.name}.${link.references.columns[link.columns.indexOf(column.name)]}`;
  const role = column.primaryKey ? "Primary key of" : "In";
  return {
    label: column.name,
    text: column.name,
    kind: "column",
    columnKind: toColumnKind(column.type),
    ...(column.primaryKey ? { mark: "key" as const } : target && { mark: "link" as const }),
    detail: type,
    info: {
      title: `${owner}.${column.name}`,
      text: `${role} ${entity.name}, ${type}, ${column.nullable ? "nullable" : "not null"}.${target ? ` References ${target}.` : ""}`,
    },
    rank: RANK.column,
  };
}

function toCteColumn(name: string, cte: string, owner: string): SqlOffer {
  const info = { title: `${owner}.${name}`, text: `From CTE ${cte}.` };
  return {
    label: name,
    text: name,
    kind: "column",
    columnKind: "other",
    detail: cte,
    info,
    rank: RANK.column,
  };
}

function toTable(entity: Entity): SqlOffer {
  const columns = entity.columns?.map(({ name }) => name) ?? [];
  const more = columns.length > 6 ? ` and ${columns.length - 6} more` : "";
  const info = columns.length === 0 ? null : { title: entity.name, text: `${columns.slice(0, 6).join(", ")}${more}` };
  return {
    label: entity.name,
    text: entity.name,
    kind: "table",
    detail: entity.kind,
    info,
    rank: RANK.table,
  };
}

function toCte({ name, columns }: { name: string; columns: string[] }): SqlOffer {
  return {
    label: name,
    text: name,
    kind: "table",
    detail: "with",
    info: { title: name, text: columns.join(", ") },
    rank: RANK.alias,
  };
}

/** @param before pieces of the statement up to the cursor */
function wantsTable(text: string, position: number, before: readonly SqlPiece[]): boolean {
  const words = before.filter(({ kind }) => kind !== "space" && !IN_TEXT.has(kind));
  const last = words.at(-1);
  // The word at the cursor is still being typed; a comma continues the list after FROM.
  const isTyping = last !== undefined && last.end >= position && (last.kind === "word" || last.kind === "name");
  let at = words.length - (isTyping ? 2 : 1);
  const wordAt = (i: number) => text.slice(words[i]?.start, words[i]?.end).toLowerCase();
  const isName = (i: number) => {
    const word = words[i];
    return word !== undefined && ["name", "quoted"].includes(colourOf(text, word));
  };
  while (at > 1 && wordAt(at) === "," && isName(at - 1)) at -= isName(at - 2) ? 3 : 2;
  return words[at] !== undefined && TABLE_WANTED.has(wordAt(at));
}

/** Offers a column that several tables share once, with the first of them. */
function dropDoubles(offers: SqlOffer[]): SqlOffer[] {
  const seen = new Set<string>();
  return offers.filter(({ label }) => !seen.has(label) && seen.add(label));
}
