import type { Entity } from "@/lib/client/api";
import { colourOf } from "@/lib/sql/highlight";
import { SQL_KEYWORDS } from "@/lib/sql/keywords";
import type { SqlPiece, SqlPieceKind } from "@/lib/sql/lexer";
import { toSqlName } from "@/lib/sql/names";
import { findQualifier, readScope } from "@/lib/sql/scope";
import type { SqlScript } from "@/lib/sql/statements";
import { type ColumnKind, toColumnKind } from "@/lib/ui/column-kind";

/** What completion offers. `rank` is higher the nearer it is to what is being written. */
export type SqlOffer = {
  label: string;
  /** What is written, where it differs from the label: a quoted name. */
  text: string;
  kind: "column" | "table" | "alias" | "function" | "keyword";
  columnKind?: ColumnKind;
  detail: string;
  /** A heading and a sentence for the side; null where there is nothing to say. */
  info: { title: string; text: string } | null;
  rank: number;
};

const RANK = { column: 60, alias: 40, table: 20, function: 0, keyword: -20 } as const;
/** Behind these words a table is wanted. */
const TABLE_WANTED = new Set(["from", "join", "into", "update", "table", "describe", "summarize"]);
const IN_TEXT: ReadonlySet<SqlPieceKind> = new Set(["string", "comment", "hint", "run"]);
const FUNCTIONS = (
  "abs any_value avg ceil coalesce concat count date_diff date_part date_trunc dense_rank extract first_value floor greatest lag last_value lead " +
  "least length list lower max median min mode now nullif percentile_cont quantile_cont rank replace round row_number split_part stddev " +
  "strftime string_agg substring sum trim upper variance"
).split(" ");

/**
 * What may be written at a place: behind a dot the columns of that table, behind FROM and JOIN the tables, elsewhere the
 * columns in scope before everything else. In strings and comments words are just words, and nothing is offered.
 * @param position where the cursor is in the text
 */
export function offerSql(script: SqlScript, position: number, entities: Entity[]): SqlOffer[] {
  const { dialect } = script;
  return offerNames(script, position, entities).map((offer) =>
    offer.kind === "function" || offer.kind === "keyword" ? offer : { ...offer, text: toSqlName(offer.text, dialect) },
  );
}

/** The same with the names as they are. */
function offerNames(script: SqlScript, position: number, entities: Entity[]): SqlOffer[] {
  const { text, dialect } = script;
  const before = script.pieces(position, position);
  const last = before.at(-1)?.kind;
  if (last && IN_TEXT.has(last)) return [];
  const scope = readScope(script.at(position)?.text ?? "", dialect);
  const byName = new Map(entities.map((entity) => [entity.name.toLowerCase(), entity]));
  const columnsOf = (name: string, owner: string): SqlOffer[] => {
    const cte = scope.ctes.find((each) => each.name.toLowerCase() === name.toLowerCase());
    if (cte) return cte.columns.map((column) => toCteColumn(column, cte.name, owner));
    return (byName.get(name.toLowerCase())?.columns ?? []).map((column) => toColumn(column, name, owner));
  };

  const qualifier = findQualifier(text, position)?.toLowerCase();
  if (qualifier !== undefined) {
    const table = scope.tables.find(({ alias }) => alias.toLowerCase() === qualifier);
    const offers = columnsOf(table?.name ?? qualifier, table?.alias ?? qualifier);
    if (offers.length > 0) return offers;
    return entities.filter((entity) => entity.schema?.toLowerCase() === qualifier).map(toTable);
  }

  const tables = [...scope.ctes.map(toCte), ...entities.map(toTable)];
  if (wantsTable(text, position, before)) return tables.map((offer) => ({ ...offer, rank: RANK.column }));
  const columns = scope.tables.flatMap(({ name, alias }) => columnsOf(name, alias));
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
  return [...dropDoubles(columns), ...aliases, ...tables, ...WORDS];
}

const WORDS: SqlOffer[] = [
  ...FUNCTIONS.map(
    (name): SqlOffer => ({
      label: name,
      text: `${name}(`,
      kind: "function",
      detail: "",
      info: null,
      rank: RANK.function,
    }),
  ),
  ...[...SQL_KEYWORDS].map(
    (word): SqlOffer => ({ label: word, text: word, kind: "keyword", detail: "", info: null, rank: RANK.keyword }),
  ),
];

function toColumn(
  column: { name: string; type: string; nullable: boolean; primaryKey: boolean },
  table: string,
  owner: string,
): SqlOffer {
  const type = column.type.toLowerCase();
  const role = column.primaryKey ? "The key of" : "In";
  return {
    label: column.name,
    text: column.name,
    kind: "column",
    columnKind: toColumnKind(column.type),
    detail: type,
    info: {
      title: `${owner}.${column.name}`,
      text: `${role} ${table}, ${type}, ${column.nullable ? "may be null" : "never null"}.`,
    },
    rank: RANK.column,
  };
}

function toCteColumn(name: string, cte: string, owner: string): SqlOffer {
  const info = { title: `${owner}.${name}`, text: `From ${cte}, above in this statement.` };
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

/** @param before the pieces of the statement up to the cursor */
function wantsTable(text: string, position: number, before: readonly SqlPiece[]): boolean {
  const words = before.filter(({ kind }) => kind !== "space" && !IN_TEXT.has(kind));
  const last = words.at(-1);
  // The word under the cursor is still being written; a comma continues the list behind FROM.
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

/** One column of several tables is offered once, with the table of its first one. */
function dropDoubles(offers: SqlOffer[]): SqlOffer[] {
  const seen = new Set<string>();
  return offers.filter(({ label }) => !seen.has(label) && seen.add(label));
}
