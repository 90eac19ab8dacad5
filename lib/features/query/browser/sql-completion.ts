import { DIALECTS, type SqlDialect } from "@/lib/base/sql/dialects/registry";
import { COMMON_FUNCTIONS } from "@/lib/base/sql/functions";
import { colourOf } from "@/lib/base/sql/highlight";
import { SQL_KEYWORDS } from "@/lib/base/sql/keywords";
import type { SqlPiece, SqlPieceKind } from "@/lib/base/sql/lexer";
import { toSqlName, toSqlTable } from "@/lib/base/sql/names";
import { findQualifier, readJoinPlace, readScope, type ScopeTable } from "@/lib/base/sql/scope";
import type { SqlScript } from "@/lib/base/sql/statements";
import { type ColumnKind, toColumnKind } from "@/lib/base/values/column-kind";
import { ENUM_VALUES_MAX, type Entity, type EntityColumn } from "@/lib/base/values/fields";
import { SQL_SNIPPETS } from "@/lib/features/query/browser/sql-snippets";
import { formatCountShort } from "@/lib/platform/browser/format";

/** A completion item. `rank` is higher the closer it is to the text being typed. */
export type SqlOffer = {
  label: string;
  /** Schema of a table that the connection does not find by its name alone. */
  schema?: string;
  /** Inserted text: a quoted name, a table with its schema, or the template of a snippet. */
  text: string;
  kind: "column" | "table" | "alias" | "join" | "function" | "keyword" | "snippet" | "value";
  columnKind?: ColumnKind;
  /** Mark of a column in a key, or with a foreign key. */
  mark?: "key" | "link";
  detail: string;
  /** Heading and sentence for the side panel; null for none. */
  info: { title: string; text: string } | null;
  rank: number;
};

const RANK = {
  join: 90,
  column: 60,
  alias: 40,
  table: 20,
  function: 0,
  keyword: -20,
  snippet: -30,
} as const;
/** A word that continues a join's table: its alias, and then the condition. */
const CONDITION_FOLLOWS = /^[\p{L}\p{N}_$]*\s+(?:(?:as\s+)?[\p{L}_][\p{L}\p{N}_$]*\s+)?(?:on|using)\b/iu;
/** Words after which a table is expected. */
const TABLE_WANTED = new Set(["from", "join", "into", "update", "table", "describe", "summarize"]);
const IN_TEXT: ReadonlySet<SqlPieceKind> = new Set(["string", "comment", "hint", "run"]);
/**
 * Returns the completions at a position. After a dot these are the columns of that table. After FROM and JOIN they are
 * the tables, after JOIN with whole joins along foreign keys first. After ON they are the conditions of foreign keys.
 * Elsewhere the columns in scope come before everything else. Items of equal rank keep their order, which for columns
 * is that of their table. Returns nothing in strings and comments.
 * @param position position of the cursor in the text
 */
export function offerSql(script: SqlScript, position: number, entities: Entity[]): SqlOffer[] {
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
    if (cte) return cte.columns.map((column) => toCteColumn(column, cte.name, owner, dialect));
    const entity = find(table);
    return (entity?.columns ?? []).map((column) => toColumn(column, entity as Entity, owner, dialect));
  };

  const qualifier = findQualifier(text, position)?.toLowerCase();
  if (qualifier !== undefined) {
    const table = scope.tables.find(({ alias }) => alias.toLowerCase() === qualifier);
    const offers = columnsOf(table ?? { name: qualifier, schema: null }, table?.alias ?? qualifier);
    if (offers.length > 0) return offers;
    const ofSchema = entities.filter((entity) => entity.schema?.toLowerCase() === qualifier);
    return ofSchema.map(({ schema: _, ...entity }) => toTable(entity, dialect));
  }

  // The statement up to the cursor: after its last word there may be only spaces.
  const join = readJoinPlace(text.slice(statement?.from ?? position, position), text.length, dialect);
  const own = (table: ScopeTable): Entity | null => (isCte(table) ? null : find(table));
  const ctes = scope.ctes.map((cte) => toCte(cte, dialect));
  if (join.wants === "table") {
    const takesCondition = join.takesCondition && !CONDITION_FOLLOWS.test(text.slice(position));
    const joins = takesCondition ? offerJoins(join.tables, scope.tables, own, entities, dialect) : [];
    return [...joins, ...ctes, ...entities.map((entity) => ({ ...toTable(entity, dialect), rank: RANK.column }))];
  }
  const conditions = join.wants === "condition" ? offerConditions(join.tables, own, dialect) : [];

  const tables = [...ctes, ...entities.map((entity) => toTable(entity, dialect))];
  if (wantsTable(text, position, before)) return tables.map((offer) => ({ ...offer, rank: RANK.column }));
  const columns = scope.tables.flatMap((table) => columnsOf(table, table.alias));
  const aliases = scope.tables
    .filter(({ name, alias }) => name !== alias)
    .map(
      ({ name, alias }): SqlOffer => ({
        label: alias,
        text: toSqlName(alias, dialect),
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

/** Signs between a column and its value. */
const COMPARING = new Set(["=", "<", ">", "!"]);

/**
 * Returns the enum values for a string that a column is compared with, as in `status = 'pa` and `status in ('new', '`.
 * @returns null if the cursor is elsewhere; `from` is behind the opening quote
 */
export function offerValues(
  script: SqlScript,
  position: number,
  entities: Entity[],
): { from: number; offers: SqlOffer[] } | null {
  const { text, dialect } = script;
  const pieces = script.pieces(position, position).filter(({ kind }) => kind !== "space" && kind !== "comment");
  const string = pieces.at(-1);
  const isOpen =
    string?.kind === "string" && string.start < position && (string.end > position || !isClosed(text, string));
  if (!isOpen || text.charAt(string.start) !== "'") return null;
  const column = comparedColumn(text, pieces);
  if (column === null) return null;
  const statement = script.at(position);
  const scope = readScope(statement?.text ?? "", dialect, position - (statement?.from ?? position));
  const find = entityFinder(entities);
  const owners = scope.tables.filter(({ alias }) => column.owner === null || alias.toLowerCase() === column.owner);
  const columns = owners.flatMap((table) => find(table)?.columns ?? []);
  const values = columns.flatMap((each) => (each.name.toLowerCase() === column.name ? enumValuesOf(each) : []));
  if (values.length === 0) return null;
  const close = text.charAt(position) === "'" ? "" : "'";
  const offers = [...new Set(values)].map(
    (value): SqlOffer => ({
      label: value,
      text: `${value.replaceAll("'", "''")}${close}`,
      kind: "value",
      detail: column.name,
      info: null,
      rank: RANK.column,
    }),
  );
  return { from: string.start + 1, offers };
}

function isClosed(text: string, { start, end }: SqlPiece): boolean {
  return end - start > 1 && text.charAt(end - 1) === "'";
}

/** Returns the column before the comparison or the list that the last piece, a string, belongs to; null for none. */
function comparedColumn(text: string, pieces: readonly SqlPiece[]): { name: string; owner: string | null } | null {
  const wordAt = (index: number) => text.slice(pieces[index]?.start, pieces[index]?.end).toLowerCase();
  let at = pieces.length - 2;
  if (wordAt(at) === "(" || wordAt(at) === ",") {
    while (wordAt(at) === "," && pieces[at - 1]?.kind === "string") at -= 2;
    if (wordAt(at) !== "(" || wordAt(at - 1) !== "in") return null;
    at -= wordAt(at - 2) === "not" ? 3 : 2;
  } else {
    const end = at;
    while (COMPARING.has(wordAt(at))) at -= 1;
    if (at === end && !["<>", "!=", "<=", ">="].includes(wordAt(at))) return null;
    if (at === end) at -= 1;
  }
  const nameAt = (index: number) => {
    const piece = pieces[index];
    if (piece?.kind !== "word" && piece?.kind !== "name") return null;
    return wordAt(index).replaceAll(/^["`[]|["`\]]$/g, "");
  };
  const name = nameAt(at);
  if (name === null) return null;
  return { name, owner: wordAt(at - 1) === "." ? nameAt(at - 2) : null };
}

/** Values of `enum('a', 'b')`, as MySQL and DuckDB write a type. */
const ENUM_TYPE = /^enum\s*\(([\s\S]*)\)$/i;

function enumValuesOf({ values, type }: EntityColumn): string[] {
  if (values) return values;
  const listed = ENUM_TYPE.exec(type)?.[1] ?? "";
  return [...listed.matchAll(/'((?:[^']|'')*)'/g)]
    .slice(0, ENUM_VALUES_MAX)
    .map(([, value = ""]) => value.replaceAll("''", "'"));
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

/**
 * Returns whole joins along foreign keys, those of the nearest table first: the table, an alias if the others have
 * one, and the condition.
 * @param before tables before the JOIN
 * @param named tables of the whole statement, whose names are taken
 */
function offerJoins(
  before: ScopeTable[],
  named: readonly ScopeTable[],
  own: Find,
  entities: Entity[],
  dialect: SqlDialect,
): SqlOffer[] {
  const joined = before.toReversed().flatMap((table) => {
    const entity = own(table);
    return entity ? [{ entity, alias: table.alias }] : [];
  });
  const taken = new Set([...before, ...named].map(({ alias }) => alias.toLowerCase()));
  const hasAliases = before.some(({ name, alias }) => name !== "" && name.toLowerCase() !== alias.toLowerCase());
  const offers = entities.flatMap((entity) => {
    const needsAlias = hasAliases || taken.has(entity.name.toLowerCase());
    const name = needsAlias ? newAlias(entity.name, taken, dialect) : entity.name;
    return joined
      .flatMap(({ entity: other, alias }, at) => [
        ...linksBetween(other, entity).map((link) => ({ link, of: toCondition(link, alias, name, dialect), at })),
        ...linksBetween(entity, other).map((link) => ({ link, of: toCondition(link, name, alias, dialect), at })),
      ])
      .map(({ link, of, at }): SqlOffer => {
        const table = toTable(entity, dialect);
        const joining = `${needsAlias ? ` ${name}` : ""} on ${of.text}`;
        return {
          ...table,
          label: `${entity.name}${joining}`,
          text: `${table.text}${joining}`,
          kind: "join",
          detail: link.from === entity ? "one to many" : "many to one",
          info: of.info,
          rank: RANK.join - Math.min(at, 9),
        };
      });
  });
  return dropDoubles(offers, ({ text }) => text).sort((a, b) => b.rank - a.rank);
}

/** Returns the first letters of a name's words as an alias that is neither taken nor a word of SQL. */
function newAlias(name: string, taken: ReadonlySet<string>, dialect: SqlDialect): string {
  const words = name.replaceAll(/([a-z])([A-Z])/g, "$1 $2").match(/[a-z]+/gi) ?? ["t"];
  const letters = words.map((word) => word[0]?.toLowerCase()).join("");
  const isFree = (alias: string) =>
    !taken.has(alias) && toSqlName(alias, dialect) === alias && !SQL_KEYWORDS.has(alias);
  if (isFree(letters)) return letters;
  for (let number = 2; ; number += 1) if (isFree(`${letters}${number}`)) return `${letters}${number}`;
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
  ...COMMON_FUNCTIONS.map(toFunction),
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

function toColumn(column: EntityColumn, entity: Entity, owner: string, dialect: SqlDialect): SqlOffer {
  const type = column.type.toLowerCase();
  const link = entity.foreignKeys?.find(({ columns }) => columns.includes(column.name));
  const target = link && `${link.references.name}.${link.references.columns[link.columns.indexOf(column.name)]}`;
  const role = column.primaryKey ? "Primary key of" : "In";
  return {
    label: column.name,
    text: toSqlName(column.name, dialect),
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

function toCteColumn(name: string, cte: string, owner: string, dialect: SqlDialect): SqlOffer {
  const info = { title: `${owner}.${name}`, text: `From CTE ${cte}.` };
  return {
    label: name,
    text: toSqlName(name, dialect),
    kind: "column",
    columnKind: "other",
    detail: cte,
    info,
    rank: RANK.column,
  };
}

/** Inserts the schema unless the connection finds the table by its name: then the list of entities omits it. */
function toTable(entity: Entity, dialect: SqlDialect): SqlOffer {
  const { name, schema, kind, rowEstimate } = entity;
  const columns = entity.columns?.map(({ name }) => name) ?? [];
  const more = columns.length > 6 ? ` and ${columns.length - 6} more` : "";
  return {
    label: name,
    ...(schema !== undefined && { schema }),
    text: toSqlTable(entity, dialect),
    kind: "table",
    detail:
      kind === "table" && rowEstimate !== undefined && rowEstimate >= 0
        ? `${formatCountShort(rowEstimate)} rows`
        : kind,
    info:
      columns.length === 0
        ? null
        : {
            title: schema === undefined ? name : `${schema}.${name}`,
            text: `${columns.slice(0, 6).join(", ")}${more}`,
          },
    rank: RANK.table,
  };
}

function toCte({ name, columns }: { name: string; columns: string[] }, dialect: SqlDialect): SqlOffer {
  return {
    label: name,
    text: toSqlName(name, dialect),
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
function dropDoubles(offers: SqlOffer[], keyOf = ({ label }: SqlOffer) => label): SqlOffer[] {
  const seen = new Set<string>();
  return offers.filter((offer) => !seen.has(keyOf(offer)) && seen.add(keyOf(offer)));
}
