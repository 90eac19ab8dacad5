import type { SqlDialect } from "./dialects/registry.ts";
import { SQL_KEYWORDS } from "./keywords.ts";
import { readSqlTokens, type SqlToken, wordOf } from "./lexer.ts";

/** All occurrences of an alias, or of a common table expression's name, in a statement; offsets in the statement. */
export type Renaming = { name: string; places: { from: number; to: number }[] };
/** Refusal of a rename that is not certain to be correct, with its `reason`. */
export type RenameRefusal = { reason: string };

const NOTHING_THERE = "Place the cursor on a table alias or CTE name to rename it.";
const TABLE_FOLLOWS = new Set(["FROM", "JOIN", "UPDATE", "INTO", "USING"]);

type Roles = {
  /** Positions of table aliases. */
  aliases: Set<number>;
  /** Positions of names of common table expressions. */
  ctes: Set<number>;
  /** Positions of table names that are read from. */
  tables: Set<number>;
};

/**
 * Finds the object that the name at a position refers to, and all of its occurrences in the statement. Never matches
 * strings or comments.
 */
export function findRenaming(statement: string, position: number, dialect: SqlDialect): Renaming | RenameRefusal {
  const tokens = readSqlTokens(statement, dialect);
  const at = tokens.findIndex((token) => isName(token) && token.start <= position && position <= token.end);
  const own = tokens[at];
  if (own === undefined) return { reason: NOTHING_THERE };
  const roles = readRoles(tokens);
  const isOwn = (index: number) => {
    const token = tokens[index];
    return token !== undefined && isName(token) && fold(token) === fold(own);
  };
  const indexes = [...tokens.keys()].filter(isOwn);
  const declared = indexes.filter((index) => roles.aliases.has(index) || roles.ctes.has(index));
  if (declared.length === 0 || isBehindDot(tokens, at)) return { reason: NOTHING_THERE };
  const name = own.text;
  if (declared.length > 1) {
    return { reason: `${name} is ambiguous in this statement. Rename it manually.` };
  }
  const isCte = roles.ctes.has(declared[0] ?? -1);
  const places: { from: number; to: number }[] = [];
  for (const index of indexes) {
    const token = tokens[index];
    if (token === undefined || isBehindDot(tokens, index)) continue;
    const isDeclared = index === declared[0];
    const isQualifier = tokens[index + 1]?.text === "." && tokens[index + 1]?.kind === "symbol";
    const isTable = roles.tables.has(index);
    // A table or schema with the alias's name.
    if (isTable && (!isCte || isQualifier)) continue;
    if (!isDeclared && !isQualifier && !isTable) {
      return {
        reason: `${name} may also be a column. Qualify it there, or rename manually.`,
      };
    }
    if (token.kind !== own.kind && token.text !== own.text) {
      return { reason: `${name} is written with different case or quotes. Rename it manually.` };
    }
    places.push({ from: token.start, to: token.end });
  }
  return { name, places };
}

/** Returns whether another alias, table or common table expression of the statement has the name. */
export function isNameTaken(statement: string, name: string, dialect: SqlDialect): boolean {
  const tokens = readSqlTokens(statement, dialect);
  const { aliases, ctes, tables } = readRoles(tokens);
  return [...aliases, ...ctes, ...tables].some((index) => tokens[index]?.text.toLowerCase() === name.toLowerCase());
}

/** Finds the roles of names without a grammar, since the statement may be incomplete. */
function readRoles(tokens: readonly SqlToken[]): Roles {
  const roles: Roles = { aliases: new Set(), ctes: new Set(), tables: new Set() };
  /** For each open bracket, whether it is in a table's position, and whether its tables form a list. */
  const open: { isTable: boolean; isList: boolean }[] = [];
  let isList = false;
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at];
    if (token === undefined) break;
    const before = wordOf(tokens[at - 1]);
    if (isSign(token, "(")) {
      const isTable = TABLE_FOLLOWS.has(before) || before === "LATERAL" || (isList && isSign(tokens[at - 1], ","));
      open.push({ isTable, isList });
      isList = false;
    } else if (isSign(token, ")")) {
      const closed = open.pop();
      isList = closed?.isList ?? false;
      if (closed?.isTable) takeAlias(tokens, at + 1, roles);
    } else if (token.kind === "word" && TABLE_FOLLOWS.has(wordOf(token))) {
      isList = wordOf(token) === "FROM" || wordOf(token) === "JOIN";
      at = takeTable(tokens, at + 1, roles) - 1;
    } else if (isSign(token, ",") && isList) {
      at = takeTable(tokens, at + 1, roles) - 1;
    } else if (token.kind === "word" && isKeyword(token) && wordOf(token) !== "ON" && wordOf(token) !== "AS") {
      // WHERE, GROUP BY and similar words end the list of tables; a condition between two of them does not.
      if (
        /^(?:WHERE|GROUP|ORDER|HAVING|LIMIT|UNION|EXCEPT|INTERSECT|SET|VALUES|SELECT|RETURNING|WINDOW)$/.test(
          wordOf(token),
        )
      ) {
        isList = false;
      }
    } else if (isName(token) && namesQuery(tokens, at)) {
      roles.ctes.add(at);
    }
  }
  return roles;
}

/** @returns the position after it */
function takeTable(tokens: readonly SqlToken[], start: number, roles: Roles): number {
  let at = start;
  if (wordOf(tokens[at]) === "ONLY" || wordOf(tokens[at]) === "LATERAL") at++;
  if (!isName(tokens[at])) return at;
  roles.tables.add(at);
  while (isSign(tokens[at + 1], ".") && isName(tokens[at + 2])) {
    at += 2;
    roles.tables.add(at);
  }
  // The result of a function is a table too; its alias follows its bracket.
  if (isSign(tokens[at + 1], "(")) {
    let depth = 0;
    do {
      at++;
      if (isSign(tokens[at], "(")) depth++;
      if (isSign(tokens[at], ")")) depth--;
    } while (depth > 0 && at < tokens.length);
  }
  return takeAlias(tokens, at + 1, roles);
}

function takeAlias(tokens: readonly SqlToken[], start: number, roles: Roles): number {
  const at = wordOf(tokens[start]) === "AS" ? start + 1 : start;
  if (!isName(tokens[at])) return start;
  roles.aliases.add(at);
  return at + 1;
}

/**
 * Returns whether a name introduces a query: `name as (select`, or `name (columns) as (select`, after WITH, RECURSIVE
 * or a comma.
 */
function namesQuery(tokens: readonly SqlToken[], at: number): boolean {
  const before = tokens[at - 1];
  if (!["WITH", "RECURSIVE"].includes(wordOf(before)) && !isSign(before, ",")) return false;
  let next = at + 1;
  if (isSign(tokens[next], "(")) {
    while (next < tokens.length && !isSign(tokens[next], ")")) next++;
    next++;
  }
  if (wordOf(tokens[next]) !== "AS") return false;
  next++;
  while (["NOT", "MATERIALIZED"].includes(wordOf(tokens[next]))) next++;
  const opens = ["SELECT", "WITH", "VALUES", "INSERT", "UPDATE", "DELETE", "FROM", "TABLE"];
  return isSign(tokens[next], "(") && opens.includes(wordOf(tokens[next + 1]));
}

function isName(token: SqlToken | undefined): token is SqlToken {
  return token !== undefined && (token.kind === "name" || (token.kind === "word" && !isKeyword(token)));
}

function isKeyword(token: SqlToken): boolean {
  return token.kind === "word" && SQL_KEYWORDS.has(token.text.toLowerCase());
}

function isSign(token: SqlToken | undefined, sign: string): boolean {
  return token?.kind === "symbol" && token.text === sign;
}

function isBehindDot(tokens: readonly SqlToken[], at: number): boolean {
  return isSign(tokens[at - 1], ".");
}

function fold(token: SqlToken): string {
  return token.text.toLowerCase();
}
