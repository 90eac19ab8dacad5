import type { SqlDialect } from "./dialects/registry.ts";
import { colourSql, type SqlColour } from "./highlight.ts";

/** A table of a statement, and the name that qualifies its columns. `schema` is null if it is not written. */
export type ScopeTable = { name: string; schema: string | null; alias: string };
/** A common table expression: its name, and the columns of its first select that are plain names. */
export type ScopeCte = { name: string; columns: string[] };
export type SqlScope = { tables: ScopeTable[]; ctes: ScopeCte[] };

type Word = { text: string; folded: string; kind: SqlColour; from: number };

const TABLE_FOLLOWS = new Set(["from", "join", "update", "into"]);

/**
 * Returns the tables, aliases and common table expressions of a statement. Works without a grammar, since the statement
 * may be incomplete.
 * @param position in the statement: tables in brackets that do not contain it, which are out of scope, come last. Null
 * keeps the written order
 */
export function readScope(statement: string, dialect: SqlDialect, position: number | null = null): SqlScope {
  const words = toWords(statement, dialect);
  const isReached = position === null ? () => true : reachOf(words, position);
  const tables: ScopeTable[] = [];
  const beyond: ScopeTable[] = [];
  const ctes: ScopeCte[] = [];
  for (let i = 0; i < words.length; i++) {
    const word = words[i];
    if (word === undefined) continue;
    if (word.kind === "keyword" && TABLE_FOLLOWS.has(word.folded)) {
      // "from a x, b y": the list continues after each comma.
      const found = isReached(i) ? tables : beyond;
      let next = readTable(words, i + 1, found);
      while (words[next]?.text === ",") next = readTable(words, next + 1, found);
    }
    if (isName(word) && words[i + 1]?.folded === "as" && opensQuery(words, i + 2) && followsWith(words, i)) {
      ctes.push({
        name: word.text,
        columns: readSelectColumns(
          words,
          words.findIndex((w, j) => j > i && w.folded === "select"),
        ),
      });
    }
  }
  return { tables: [...tables, ...beyond], ctes };
}

/**
 * Returns a function that says, for the index of a word, whether all brackets around the word also contain the
 * position.
 */
function reachOf(words: readonly Word[], position: number): (at: number) => boolean {
  const open: number[] = [];
  const closed = new Map<number, number>();
  for (const { text, kind, from } of words) {
    if (kind !== "mark") continue;
    if (text === "(") open.push(from);
    else if (text === ")") closed.set(open.pop() ?? -1, from);
  }
  const reached: boolean[] = [];
  const around: boolean[] = [];
  for (const { text, kind, from } of words) {
    if (kind === "mark" && text === ")") around.pop();
    reached.push(around.every(Boolean));
    if (kind === "mark" && text === "(") {
      // An unclosed bracket extends to the end.
      around.push(from < position && position <= (closed.get(from) ?? Number.POSITIVE_INFINITY));
    }
  }
  return (at) => reached[at] ?? true;
}

/**
 * Tables of the FROM clause before a position, and the kind of suggestion: `table` after JOIN, `condition` after ON;
 * null elsewhere. The condition being written is for the last of `tables`. A subquery has an alias and no name.
 */
export type JoinPlace = {
  wants: "table" | "condition" | null;
  tables: ScopeTable[];
  /** Whether the join takes ON: a cross or natural one does not. */
  takesCondition: boolean;
};

/** Words of a join without a condition. */
const WITHOUT_CONDITION = new Set(["cross", "natural", "positional"]);
/** Words between NATURAL and JOIN. */
const JOIN_SIDES = new Set(["left", "right", "full", "inner", "outer"]);

/** Works on an incomplete statement, too. @param position in the statement; a word that ends there is being typed */
export function readJoinPlace(statement: string, position: number, dialect: SqlDialect): JoinPlace {
  const before = statement.slice(0, position);
  const words = toWords(before, dialect);
  // A word that touches the cursor is incomplete.
  if (/[\p{L}\p{N}_$]$/u.test(before)) words.pop();
  /** The tables of each enclosing query, the outermost first, and whether its bracket is in a table's position. */
  const open: ScopeTable[][] = [[]];
  const areTables: boolean[] = [];
  for (let i = 0; i < words.length; i++) {
    const word = words[i];
    if (word === undefined) break;
    if (word.text === "(" && word.kind === "mark") {
      open.push([]);
      areTables.push(["from", "join", "lateral", ","].includes(words[i - 1]?.folded ?? "") && opensQuery(words, i));
    } else if (word.text === ")" && word.kind === "mark") {
      if (open.length > 1) open.pop();
      const alias = words[i + 1]?.folded === "as" ? words[i + 2] : words[i + 1];
      if (areTables.pop()) open.at(-1)?.push({ name: "", schema: null, alias: isName(alias) ? alias.text : "" });
    } else if (word.kind === "keyword" && (word.folded === "select" || word.folded === "with")) {
      // The next query of a UNION, or the one after the common table expressions.
      open.splice(-1, 1, []);
    } else if (word.kind === "keyword" && TABLE_FOLLOWS.has(word.folded)) {
      const tables = open.at(-1) ?? [];
      let next = readTable(words, i + 1, tables);
      while (words[next]?.text === ",") next = readTable(words, next + 1, tables);
    }
  }
  const last = words.at(-1);
  const word = last?.kind === "keyword" ? last.folded : null;
  const kind = words.slice(0, -1).findLast(({ folded }) => !JOIN_SIDES.has(folded))?.folded ?? "";
  return {
    wants: word === "join" ? "table" : word === "on" ? "condition" : null,
    tables: open.at(-1) ?? [],
    takesCondition: !WITHOUT_CONDITION.has(kind),
  };
}

/** Returns the name before a dot that ends at `position`, as in `o.` or `public.orders.`; null if there is none. */
export function findQualifier(text: string, position: number): string | null {
  const match = /(?:([\p{L}_][\p{L}\p{N}_$]*)|"([^"]+)"|`([^`]+)`|\[([^\]]+)\])\.(?:[\p{L}\p{N}_$]*)$/u.exec(
    text.slice(Math.max(0, position - 200), position),
  );
  return match?.[1] ?? match?.[2] ?? match?.[3] ?? match?.[4] ?? null;
}

function toWords(text: string, dialect: SqlDialect): Word[] {
  return colourSql(text, dialect)
    .filter(({ kind }) => kind !== "space" && kind !== "comment")
    .map(({ kind, from, to }) => {
      const raw = text.slice(from, to);
      const plain = kind === "quoted" ? unquoted(raw) : raw;
      return { text: plain, folded: kind === "quoted" ? plain : plain.toLowerCase(), kind, from };
    });
}

function unquoted(raw: string): string {
  const quote = raw.charAt(0);
  return raw.slice(1, -1).replaceAll(quote + quote, quote);
}

function isName(word: Word | undefined): word is Word {
  return word !== undefined && (word.kind === "name" || word.kind === "quoted");
}

/** Reads `schema.table alias` at `start`. @returns the position after it */
function readTable(words: Word[], start: number, tables: ScopeTable[]): number {
  let at = start;
  const path: string[] = [];
  while (isName(words[at])) {
    path.push(words[at]?.text ?? "");
    if (words[at + 1]?.text !== ".") {
      at++;
      break;
    }
    at += 2;
  }
  const name = path.at(-1);
  if (name === undefined) return at;
  if (words[at]?.folded === "as") at++;
  const alias = isName(words[at]) ? words[at]?.text : undefined;
  if (alias !== undefined) at++;
  tables.push({ name, schema: path.length > 1 ? (path.at(-2) ?? null) : null, alias: alias ?? name });
  return at;
}

function opensQuery(words: Word[], at: number): boolean {
  let i = at;
  while (words[i]?.folded === "not" || words[i]?.folded === "materialized") i++;
  return words[i]?.text === "(" && (words[i + 1]?.folded === "select" || words[i + 1]?.folded === "with");
}

function followsWith(words: Word[], at: number): boolean {
  const before = words[at - 1];
  return before?.folded === "with" || before?.folded === "recursive" || before?.text === ",";
}

/**
 * Returns the column names of a select list: `as x`, or the last word of an item such as `o.id`. Unnamed expressions
 * are left out.
 */
function readSelectColumns(words: Word[], select: number): string[] {
  const columns: string[] = [];
  if (select < 0) return columns;
  let depth = 0;
  let last: Word | undefined;
  for (let i = select + 1; i < words.length; i++) {
    const word = words[i];
    if (word === undefined) break;
    if (word.text === "(") depth++;
    if (word.text === ")") depth--;
    const isClosed = depth < 0 || (depth === 0 && word.folded === "from");
    if ((isClosed || (depth === 0 && word.text === ",")) && isName(last)) columns.push(last.text);
    if (isClosed) break;
    last = word;
  }
  return columns;
}
