import type { SqlToken as Token } from "@/lib/base/sql/lexer";
import { AppError } from "@/lib/platform/http/errors";
import { isHarmlessMode } from "./modes";
import { readMysqlText } from "./reading";
import {
  type Call,
  NAMES_MAX,
  notAllowed,
  type Reference,
  type References,
  readReferences,
  tooManyNames,
} from "./references";
import { checkRoutineBody } from "./routine-body";
import { hasTableOptions, refuseSecretTable } from "./secrets";

/** Runs a driver query in the session of the statement. */
export type Ask = (query: string) => Promise<unknown[][]>;

/** Maximum characters of a name; a longer one names nothing. */
const NAME_CHARS_MAX = 64;
/** Schemas whose only views are the server's, which expose only metadata. */
const OWN_SCHEMAS = new Set(["information_schema", "performance_schema"]);
/** Client character sets in which stored text is read as here: the first, and the second while the text is ASCII. */
const UTF8 = /^utf8(?:mb[34])?$/;
const ASCII_LIKE = /^(?:ascii|latin1)$/;
const ASCII = /^[\0-\x7f]*$/;

/** The session settings that affect parsing, as the server reports them. */
const PINS = selected(0, "'session'", [
  "coalesce(database(), '')",
  "''",
  "''",
  "''",
  "''",
  "@@sql_mode",
  "@@character_set_client",
]);
const OF_TABLE = ["table_schema", "table_name", "table_type", "''", "''", "''", "''"];
const OF_VIEW = [
  "table_schema",
  "table_name",
  "security_type",
  "view_definition",
  "'SQL'",
  "''",
  "character_set_client",
];
const OF_ROUTINE = [
  ...["routine_schema", "routine_name", "security_type", "routine_definition", "routine_body", "sql_mode"],
  "character_set_client",
];
const OF_PARAMETER = ["specific_schema", "specific_name", "''", "parameter_name", "''", "''", "''"];

type Row = {
  /** The index of the lookup that it answers. */
  of: number;
  kind: string;
  schema: string;
  name: string;
  rights: string;
  text: string;
  language: string;
  sqlMode: string;
  charset: string;
};

/** Names, and the schema of unqualified ones: null is the session's current schema. */
type Open = References & { schema: string | null };
type Lookup =
  /** The type of a table or view. */
  | { typeOf: Reference }
  /** The definition of a view. */
  | { table: Reference }
  | { call: Call; packagesOf: string | null }
  /** Built-in functions. Some version lacks one, or reads `count (x)` as a stored function of that name. */
  | { schema: string | null; builtIns: string[] };

/**
 * Checks in the statement's session that the server tokenises as our lexer does, and follows the statement's names
 * through the catalogue, recursively. A read-only statement may use views and stored functions only if they run with
 * the caller's rights (SQL SECURITY INVOKER) and only read. Someone who could change one between this check and the run
 * may write here anyway, and gives it only the connection's rights.
 * @returns whether it reads options of tables
 * @throws AppError `not_allowed`, `read_only`
 */
export async function checkReach(ask: Ask, references: References): Promise<boolean> {
  const seen = new Set<string>();
  let readsOptions = false;
  const checkTable = (table: Reference, schema: string | null) => {
    refuseSecretTable(table, schema);
    readsOptions ||= hasTableOptions(table, schema);
  };
  // Most statements read tables only. The server opens a view to describe it, which takes four times as long.
  let lookups = lookupsOf({ ...references, schema: null }, seen).map(
    (lookup): Lookup => ("table" in lookup ? { typeOf: lookup.table } : lookup),
  );
  let current = "";
  for (let isFirst = true; isFirst || lookups.length > 0; isFirst = false) {
    if (seen.size > NAMES_MAX) throw tooManyNames();
    const query = [...(isFirst ? [PINS] : []), ...lookups.flatMap(toQueries)].join(" UNION ALL ");
    const rows = (await ask(query)).map(toRow);
    if (isFirst) {
      current = checkPins(rows);
      for (const table of references.tables) checkTable(table, current);
    }
    const untyped = lookups.flatMap((lookup, index): Lookup[] => {
      if (!("typeOf" in lookup)) return [];
      const found = rows.filter(({ of, kind }) => of === index && kind === "table");
      return isPlainTable(found, lookup.typeOf, current) ? [] : [{ table: lookup.typeOf }];
    });
    const within = follow(rows, lookups).flatMap((open) => {
      for (const table of open.tables) checkTable(table, open.schema);
      return lookupsOf(open, seen);
    });
    lookups = [...untyped, ...within];
  }
  return readsOptions;
}

/** @returns the schema of unqualified names */
function checkPins(rows: readonly Row[]): string {
  const session = rows.find(({ kind }) => kind === "session");
  if (session && isHarmlessMode(session.sqlMode) && session.charset === "utf8mb4") return session.schema;
  throw notAllowed(
    "The session does not keep sql_mode or its character set, perhaps because of a proxy. Read-only queries are blocked.",
  );
}

/**
 * Returns whether the server knows exactly this name, and as a table. Where names differ only in case, a table may have
 * been found in place of a view.
 */
function isPlainTable(found: readonly Row[], { schema, name }: Reference, current: string): boolean {
  const [row] = found;
  if (!row || found.length > 1) return false;
  return row.rights === "BASE TABLE" && row.name === name && row.schema === (schema ?? current);
}

function lookupsOf({ tables, calls, schema: current }: Open, seen: Set<string>): Lookup[] {
  const isNew = (kind: string, { schema, name }: Reference) => {
    const id = JSON.stringify([kind, schema, name]);
    return !seen.has(id) && seen.add(id) !== undefined;
  };
  const named = <T extends Reference>(reference: T): T => ({ ...reference, schema: reference.schema ?? current });
  const fresh = calls.filter((call) => isNew(call.schema === null ? "call" : "qualified call", named(call)));
  const stored = fresh.filter(({ isBuiltIn }) => !isBuiltIn);
  const builtIns = fresh.filter(({ isBuiltIn }) => isBuiltIn).map(({ name }) => name);
  return [
    ...tables
      .map(named)
      .filter((table) => table.name.length <= NAME_CHARS_MAX && !isOwn(table.schema) && isNew("table", table))
      .map((table) => ({ table })),
    ...stored.map((call) => ({ call: named(call), packagesOf: call.schema })),
    ...(builtIns.length > 0 ? [{ schema: current, builtIns }] : []),
  ];
}

function isOwn(schema: string | null): boolean {
  return schema !== null && OWN_SCHEMAS.has(schema.toLowerCase());
}

// Compared with constants, since the server then opens one file instead of all.
function toQueries(lookup: Lookup, index: number): string[] {
  if ("typeOf" in lookup) {
    const { schema, name } = lookup.typeOf;
    return [
      `${selected(index, "'table'", OF_TABLE)} FROM information_schema.tables
       WHERE table_schema = ${literal(schema)} AND table_name = ${literal(name)}`,
    ];
  }
  if ("table" in lookup) {
    const { schema, name } = lookup.table;
    return [
      `${selected(index, "'view'", OF_VIEW)} FROM information_schema.views
       WHERE table_schema = ${literal(schema)} AND table_name = ${literal(name)}`,
    ];
  }
  const routines = `${selected(index, "routine_type", OF_ROUTINE)} FROM information_schema.routines`;
  if ("builtIns" in lookup) {
    const names = lookup.builtIns.map(literal).join(", ");
    return [
      `${routines} WHERE routine_schema = ${literal(lookup.schema)} AND routine_name IN (${names})
       AND routine_type = 'FUNCTION'`,
    ];
  }
  const { call, packagesOf } = lookup;
  const [schema, name] = [literal(call.schema), literal(call.name)];
  return [
    `${routines} WHERE routine_schema = ${schema} AND routine_name = ${name} AND routine_type = 'FUNCTION'`,
    `${selected(index, "'PARAMETER'", OF_PARAMETER)} FROM information_schema.parameters
     WHERE specific_schema = ${schema} AND specific_name = ${name} AND routine_type = 'FUNCTION'
     AND parameter_name IS NOT NULL`,
    // `a.b()` may also be the function b of a package a, in any schema that the server searches.
    ...(packagesOf === null
      ? []
      : [`${routines} WHERE routine_name = ${literal(packagesOf)} AND routine_type LIKE 'PACKAGE%'`]),
  ];
}

/** Returns a catalogue row in one character set, which the columns of a UNION must share. */
function selected(index: number, kind: string, columns: readonly string[]): string {
  return `SELECT ${index}, ${[kind, ...columns].map((column) => `CONVERT(${column} USING utf8mb4)`).join(", ")}`;
}

/** Returns a text in hexadecimal, so that nothing in it can be parsed as SQL. */
function literal(text: string | null): string {
  return text === null ? "DATABASE()" : `_utf8mb4 x'${Buffer.from(text, "utf8").toString("hex")}'`;
}

function toRow(cells: readonly unknown[]): Row {
  const [of, ...rest] = cells;
  const [kind = "", schema = "", name = "", rights = "", text = "", language = "", sqlMode = "", charset = ""] =
    rest.map((cell) => (cell === null ? "" : String(cell)));
  return { of: Number(of), kind, schema, name, rights, text, language, sqlMode, charset };
}

/** Returns the names within the views and functions that were found. */
function follow(rows: readonly Row[], lookups: readonly Lookup[]): Open[] {
  return lookups.flatMap((lookup, index) => {
    const found = rows.filter(({ of, kind }) => of === index && kind !== "session");
    if ("typeOf" in lookup) return [];
    if ("table" in lookup) return found.filter(({ schema }) => !isOwn(schema)).map(openView);
    const functions = found.filter(({ kind }) => kind === "FUNCTION");
    if ("builtIns" in lookup) return functions.map((one) => openFunction(one, []));
    const inPackage = found.find(({ kind }) => kind.startsWith("PACKAGE"));
    if (inPackage) throw notAllowed(`Package function ${inPackage.name} is not allowed on a read-only connection.`);
    if (functions.length === 0) throw unknownFunction(lookup.call, lookup.packagesOf);
    const parameters = found.filter(({ kind }) => kind === "PARAMETER").map(({ text }) => text);
    return functions.map((one) => openFunction(one, parameters));
  });
}

function openView(view: Row): Open {
  const title = `The view ${view.schema}.${view.name}`;
  if (view.rights !== "INVOKER") {
    throw notAllowed(
      `${title} uses SQL SECURITY DEFINER and is not allowed on a read-only connection. Query its tables, or use SQL SECURITY INVOKER.`,
    );
  }
  const tokens = readStored(view, title, "SHOW VIEW on it");
  return { ...inside(title, () => readReferences(tokens)), schema: view.schema };
}

function openFunction(routine: Row, parameters: readonly string[]): Open {
  const title = `The stored function ${routine.schema}.${routine.name}`;
  if (routine.rights !== "INVOKER") {
    throw notAllowed(
      `${title} uses SQL SECURITY DEFINER and is not allowed on a read-only connection. Use SQL SECURITY INVOKER.`,
    );
  }
  const tokens = readStored(
    routine,
    title,
    "SHOW_ROUTINE (on MariaDB SHOW CREATE ROUTINE on it, or SELECT on mysql.proc)",
  );
  const references = inside(title, () => readReferences(tokens, true));
  checkRoutineBody(tokens, parameters, `${routine.schema}.${routine.name}`);
  return { ...references, schema: routine.schema };
}

/** Returns the tokens of a view or routine, if it is certain how the server parses its text. */
function readStored({ text, language, sqlMode, charset }: Row, title: string, right: string): Token[] {
  if (text === "") throw notAllowed(`Couldn't read the definition of ${title}. Grant this user ${right}.`);
  const { tokens, comments, doubt } = readMysqlText(text);
  const isKnownText = UTF8.test(charset) || (ASCII_LIKE.test(charset) && ASCII.test(text));
  const isPlain = !doubt && comments.every(({ kind }) => kind === "plain");
  if (isKnownText && isPlain && language === "SQL" && isHarmlessMode(sqlMode)) return tokens;
  throw notAllowed(`Couldn't verify that ${title} is read-only (language, sql_mode, character set or comments).`);
}

function inside<T>(title: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    throw new AppError(error.kind, `${title} is not allowed on a read-only connection. ${error.message}`);
  }
}

function unknownFunction({ name }: Call, qualifier: string | null): AppError {
  const title = qualifier === null ? name : `${qualifier}.${name}`;
  return notAllowed(`Function ${title} is not a known read-only function or a stored function this user can run.`);
}
