import { findNear } from "../values/edit-distance.ts";
import type { Entity } from "../values/fields.ts";
import { DIALECTS, type SqlDialect } from "./dialects/registry.ts";
import { COMMON_FUNCTIONS } from "./functions.ts";
import { type ColouredSql, colourSql } from "./highlight.ts";
import { toSqlName, toSqlTable } from "./names.ts";
import { describeQueryError, locateError, type QueryErrorDetails, type QuerySuggestion } from "./query-error.ts";
import { readScope, type ScopeTable, type SqlScope } from "./scope.ts";

/** Maximum number of suggestions of an error. */
const SUGGESTIONS_MAX = 5;
/** Maximum length of a name to compare. The databases' own limits are lower, and each comparison is quadratic. */
const NAME_CHARS_MAX = 128;
/** Maximum number of tables to compare: about 20 ms. */
const TABLES_MAX = 20_000;

type FailedStatement = {
  text: string;
  dialect: SqlDialect;
  /** The database's message, and the details of the answer. */
  message: string;
  details: QueryErrorDetails;
};
type Table = Pick<Entity, "name" | "schema">;
type Wrong = {
  dialect: SqlDialect;
  /** The unknown name as written: its parts with their ranges. */
  path: { name: string; from: number; to: number }[];
  last: { name: string; from: number; to: number };
  candidates: string[];
  scope: SqlScope;
};

/**
 * Suggests corrections of a failed statement: the tables, columns or functions that its unknown or ambiguous name may
 * mean, the most likely first. Empty for other errors, and if the place of the name is unknown.
 * @param entities tables of the connection, without their schema where the name alone finds them
 */
export function suggestCorrections(failed: FailedStatement, entities: readonly Entity[]): QuerySuggestion[] {
  const { text, dialect, message, details } = failed;
  const { name, unknown, isAmbiguous } = describeQueryError(message);
  if (name === null || (unknown === undefined && !isAmbiguous)) return [];
  const bare = (name.split(".").at(-1) ?? name).slice(0, NAME_CHARS_MAX);
  const pieces = colourSql(text, dialect);
  const index = findPiece(failed, pieces, bare, unknown);
  const path = index === null ? [] : pathAt(text, pieces, index);
  const last = path.at(-1);
  if (!last || last.name.length > NAME_CHARS_MAX) return [];
  const candidates = (details.candidates ?? []).map((each) => each.split(".").at(-1) ?? each);
  const wrong: Wrong = { dialect, path, last, candidates, scope: readScope(text, dialect, last.from) };
  const found =
    unknown === "table"
      ? suggestTables(wrong, entities.slice(0, TABLES_MAX))
      : unknown === "function"
        ? suggestFunctions(wrong)
        : isAmbiguous
          ? suggestOwners(wrong, entities)
          : suggestColumns(wrong, entities);
  const seen = new Set([text.slice(last.from, last.to)]);
  return found.filter(({ replacement }) => !seen.has(replacement) && seen.add(replacement)).slice(0, SUGGESTIONS_MAX);
}

/** Tables of the same name in other schemas, then near names: first those of the written schema, then the default. */
function suggestTables({ dialect, path, last, scope }: Wrong, entities: readonly Entity[]): QuerySuggestion[] {
  const schema = path.at(-2)?.name.toLowerCase();
  const folded = last.name.toLowerCase();
  const isKnown = schema !== undefined && entities.some((each) => each.schema?.toLowerCase() === schema);
  /** Whether a table is in the schema that is written, which is the default one if no table names it. */
  const isWritten = (each: Table) =>
    schema === undefined ? false : isKnown ? each.schema?.toLowerCase() === schema : each.schema === undefined;
  const isTried = (each: Table) =>
    each.name === last.name && (schema === undefined ? each.schema === undefined : isWritten(each));
  const others: Table[] = entities.filter((each) => !isTried(each));
  const rank = (each: Table) => (isWritten(each) ? 0 : each.schema === undefined ? 1 : 2);
  const same = others.filter((each) => each.name.toLowerCase() === folded);
  const ctes: Table[] = schema === undefined ? scope.ctes.map(({ name }) => ({ name })) : [];
  const near = findNear(
    last.name,
    [...ctes, ...others].map(({ name }) => name),
  ).flatMap((name) => [
    ...ctes.filter((each) => each.name === name),
    ...others.filter((each) => each.name === name).sort((a, b) => rank(a) - rank(b)),
  ]);
  // A catalogue in front of the schema stays.
  const from = path.at(-2)?.from ?? last.from;
  if (path.length > 2) {
    const listed = near.filter(isWritten);
    return listed.map(({ name }) => ({ text: name, ...replaced(last.from, last.to, toSqlName(name, dialect)) }));
  }
  return [...same.sort((a, b) => rank(a) - rank(b)), ...near].map((table) => ({
    text: table.schema === undefined ? table.name : `${table.schema}.${table.name}`,
    ...replaced(from, last.to, toSqlTable(table, dialect)),
  }));
}

/** Near columns of the tables in scope; of the named one if the column has a table in front of it. */
function suggestColumns({ dialect, path, last, candidates, scope }: Wrong, entities: readonly Entity[]) {
  const owner = path.at(-2)?.name.toLowerCase();
  const owned = scope.tables.filter(({ alias, name }) => [alias, name].some((each) => each.toLowerCase() === owner));
  const columns = columnsOf(owned.length > 0 ? owned : scope.tables, scope, entities);
  const names = columns.map(({ column }) => column);
  const near = [...findNear(last.name, candidates), ...findNear(last.name, names)];
  const only = near.length === 0 && candidates.length === 1 ? candidates : [];
  const elsewhere = columnsOf(scope.tables, scope, entities).filter(
    ({ column, table }) => owned.length > 0 && column === last.name && !owned.includes(table),
  );
  return [
    ...elsewhere.map(({ column, table }) => inTable(path, table, column, dialect)),
    ...[...near, ...only].map((name) => ({
      text: name,
      ...replaced(last.from, last.to, toSqlName(name, dialect)),
    })),
  ];
}

/** The tables in scope that have an ambiguous column. */
function suggestOwners({ dialect, path, last, scope }: Wrong, entities: readonly Entity[]): QuerySuggestion[] {
  const folded = last.name.toLowerCase();
  return columnsOf(scope.tables, scope, entities)
    .filter(({ column }) => column.toLowerCase() === folded)
    .map(({ column, table }) => inTable(path, table, column, dialect));
}

function suggestFunctions({ dialect, last, candidates }: Wrong): QuerySuggestion[] {
  const known = [...DIALECTS[dialect].functions, ...COMMON_FUNCTIONS];
  const isUpper = last.name === last.name.toUpperCase();
  const near = [...findNear(last.name, candidates), ...findNear(last.name, known)];
  return near.map((name) => {
    const written = isUpper ? name.toUpperCase() : name;
    return { text: written, ...replaced(last.from, last.to, written) };
  });
}

function columnsOf(tables: readonly ScopeTable[], { ctes }: SqlScope, entities: readonly Entity[]) {
  return tables.flatMap((table) => {
    const folded = table.name.toLowerCase();
    const cte = table.schema === null ? ctes.find(({ name }) => name.toLowerCase() === folded) : undefined;
    const named = entities.filter(({ name }) => name.toLowerCase() === folded);
    const entity =
      named.find((each) => each.schema?.toLowerCase() === table.schema?.toLowerCase()) ??
      named.find((each) => each.schema === undefined) ??
      named[0];
    const columns = cte?.columns ?? entity?.columns?.map(({ name }) => name) ?? [];
    return columns.map((column) => ({ column, table }));
  });
}

function inTable(path: Wrong["path"], { alias }: ScopeTable, column: string, dialect: SqlDialect): QuerySuggestion {
  const written = `${toSqlName(alias, dialect)}.${toSqlName(column, dialect)}`;
  return { text: `${alias}.${column}`, ...replaced(path[0]?.from ?? 0, path.at(-1)?.to ?? 0, written) };
}

function replaced(from: number, to: number, replacement: string): Omit<QuerySuggestion, "text"> {
  return { replacement, from, to };
}

/** Returns the index of the piece with the name: where the database says, else the first that can have its meaning. */
function findPiece(
  { text, dialect, details }: FailedStatement,
  pieces: readonly ColouredSql[],
  name: string,
  unknown: "column" | "table" | "function" | undefined,
): number | null {
  const folded = name.toLowerCase();
  const isNamed = (piece: ColouredSql | undefined) =>
    piece !== undefined && isName(piece) && nameOf(text, piece).toLowerCase() === folded;
  const hasPlace = details.position !== undefined || details.line !== undefined;
  if (hasPlace) {
    const place = locateError(text, { from: 0, text, dialect }, details, name);
    const at = place === null ? -1 : pieces.findIndex(({ from }) => from === place.from);
    // The place may be the start of a name with a schema or a table.
    for (let index = at; index >= 0 && index < pieces.length && index <= at + 4; index += 1) {
      if (isNamed(pieces[index])) return index;
    }
  }
  const indexes = pieces.flatMap((piece, index) => (isNamed(piece) ? [index] : []));
  const before = (index: number) =>
    pieces.slice(0, index).findLast(({ kind }) => kind !== "space" && kind !== "comment");
  const isFitting = (index: number) => {
    if (unknown === "function") return text.charAt(pieces[index]?.to ?? 0) === "(";
    const last = before(index);
    const word = last ? text.slice(last.from, last.to).toLowerCase() : "";
    const isTable = ["from", "join", "update", "into"].includes(word);
    return unknown === "table" ? isTable || word === "." : !isTable;
  };
  return indexes.find(isFitting) ?? indexes[0] ?? null;
}

/** Returns the parts of the dotted name that ends at a piece. */
function pathAt(text: string, pieces: readonly ColouredSql[], index: number): Wrong["path"] {
  const path: Wrong["path"] = [];
  for (let at = index; at >= 0; at -= 2) {
    const piece = pieces[at];
    if (!piece || !isName(piece)) break;
    path.unshift({ name: nameOf(text, piece), from: piece.from, to: piece.to });
    const dot = pieces[at - 1];
    if (!dot || text.slice(dot.from, dot.to) !== ".") break;
  }
  return path;
}

function isName({ kind }: ColouredSql): boolean {
  return kind === "name" || kind === "quoted" || kind === "function" || kind === "keyword";
}

function nameOf(text: string, { kind, from, to }: ColouredSql): string {
  const raw = text.slice(from, to);
  if (kind !== "quoted") return raw;
  const quote = raw.charAt(0);
  return raw.slice(1, -1).replaceAll(quote + quote, quote);
}
