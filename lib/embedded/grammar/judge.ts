import { isRefusedFunction, isRefusedRelation, STATEMENT_FUNCTIONS } from "./functions.ts";
import type { Verdict } from "./verdict.ts";

/*
 * Judges a statement by the tree that PostgreSQL's own grammar makes of it (T42, T50). The whole tree is walked: a CTE
 * that deletes and a call of pg_read_file both lie below a plain SELECT. The session's own guards come on top: the
 * extended protocol takes one statement only, and the transaction is read-only.
 */

const READ_ONLY = "This connection is read-only: it runs queries and changes nothing.";
const SERVER =
  "It reaches beyond the tables of this database: its server's files, programs, settings or other sessions.";
const SETTINGS = "Settings cannot be changed here: each statement runs in a session that is reset before and after it.";
const ALONE = "Each statement runs in a transaction of its own, so there is nothing to begin, commit or roll back.";
const PREPARED = "Nothing outlives a statement here. Send the query with `params` instead.";
const COPY_LINE = "COPY from or to the client cannot be run here. Use SELECT, or INSERT.";
const ONE = "Send one statement at a time. Run several one after the other.";
/** A statement inside of a statement's text, inside of another one: nobody writes more. */
const NESTING_MAX = 3;

/** On every connection, since their effect would end with the session, or since the line has no place for it. */
const NEVER: Readonly<Record<string, string>> = {
  TransactionStmt: ALONE,
  VariableSetStmt: SETTINGS,
  DiscardStmt: SETTINGS,
  ConstraintsSetStmt: SETTINGS,
  PrepareStmt: PREPARED,
  ExecuteStmt: PREPARED,
  DeallocateStmt: PREPARED,
  DeclareCursorStmt: PREPARED,
  FetchStmt: PREPARED,
  ClosePortalStmt: PREPARED,
  ListenStmt: PREPARED,
  UnlistenStmt: PREPARED,
  LoadStmt: `LOAD cannot be run here. ${SERVER}`,
};

const READING: ReadonlySet<string> = new Set(["SelectStmt", "ExplainStmt", "VariableShowStmt"]);
/** Refused on read-only connections as what they are, not as writes. */
const BEYOND: ReadonlySet<string> = new Set([
  "CopyStmt",
  "DoStmt",
  "CallStmt",
  "AlterSystemStmt",
  "CheckPointStmt",
  "NotifyStmt",
  "LockStmt",
  "VacuumStmt",
  "ClusterStmt",
  "RepackStmt",
  "ReindexStmt",
]);
const CHANGING: ReadonlySet<string> = new Set(["InsertStmt", "UpdateStmt", "DeleteStmt", "MergeStmt"]);

type Node = Record<string, unknown>;
type Parse = (query: string) => { stmts?: { stmt?: unknown }[] };

class Refused extends Error {
  readonly kind: "query_failed" | "read_only" | "not_allowed";

  constructor(kind: "query_failed" | "read_only" | "not_allowed", message: string) {
    super(message);
    this.kind = kind;
  }
}

/**
 * @param parse PostgreSQL's grammar; throws an error with `sqlDetails` for what it does not know
 * @throws what `parse` throws
 */
export function judge(query: string, readOnly: boolean, parse: Parse): Verdict {
  const statements = statementsOf(query, parse);
  if (statements.length === 0) {
    return { status: "refused", kind: "invalid_request", message: "There is no statement to run. Write one first." };
  }
  if (statements.length > 1) return { status: "refused", kind: "query_failed", message: ONE };
  const [name, body] = entryOf(statements[0]);
  try {
    checkAlways(name, body);
    if (readOnly) checkReading(name, body, parse, 0);
  } catch (error) {
    if (error instanceof Refused) return { status: "refused", kind: error.kind, message: error.message };
    throw error;
  }
  return { status: "ok", returnsRows: READING.has(name) };
}

function checkAlways(name: string, body: Node): void {
  const refusal = NEVER[name];
  if (refusal !== undefined) throw new Refused("not_allowed", refusal);
  if (name === "CopyStmt" && body.filename === undefined) throw new Refused("not_allowed", COPY_LINE);
}

function checkReading(name: string, body: Node, parse: Parse, nesting: number): void {
  if (BEYOND.has(name)) {
    throw new Refused("not_allowed", `${wordOf(name)} cannot be run on a read-only connection.`);
  }
  if (!READING.has(name)) throw new Refused("read_only", READ_ONLY);
  if (name === "ExplainStmt") {
    const [explained, inner] = entryOf(body.query);
    // EXPLAIN ANALYZE runs what it explains, and a plain one of a write is of no use where nothing may be written.
    if (explained !== "SelectStmt") throw new Refused("read_only", READ_ONLY);
    checkReading(explained, inner, parse, nesting);
    return;
  }
  walk(body, parse, nesting);
}

/** Own stack instead of recursion: a long chain of operators is a deep tree. */
function walk(root: unknown, parse: Parse, nesting: number): void {
  const waiting: unknown[] = [root];
  while (waiting.length > 0) {
    const node = waiting.pop();
    if (Array.isArray(node)) {
      for (const item of node) waiting.push(item);
    } else if (typeof node === "object" && node !== null) {
      for (const [key, value] of Object.entries(node)) {
        checkNode(key, value, parse, nesting);
        if (typeof value === "object" && value !== null) waiting.push(value);
      }
    }
  }
}

function checkNode(key: string, value: unknown, parse: Parse, nesting: number): void {
  if (CHANGING.has(key) || key === "intoClause") throw new Refused("read_only", READ_ONLY);
  if (key === "lockingClause" && Array.isArray(value) && value.length > 0) {
    throw new Refused("read_only", "A read-only connection locks no rows: leave FOR UPDATE and FOR SHARE out.");
  }
  if (key === "FuncCall") checkCall(value as Node, parse, nesting);
  if (key === "RangeVar") checkRelation(value as Node);
  // `x.name` and `(x).name` call the function `name` with x when there is no such column.
  if (key === "ColumnRef") checkSelectedNames(stringsOf((value as Node).fields).slice(1));
  if (key === "A_Indirection") checkSelectedNames(stringsOf((value as Node).indirection));
}

function checkCall(call: Node, parse: Parse, nesting: number): void {
  const name = stringsOf(call.funcname).at(-1) ?? "";
  refuseFunction(name);
  if (!STATEMENT_FUNCTIONS.has(name)) return;
  for (const argument of Array.isArray(call.args) ? call.args : []) {
    const text = constantText(argument);
    if (text === null) {
      throw new Refused(
        "not_allowed",
        `${name} takes its query here as a plain text only, so that it can be looked at.`,
      );
    }
    if (text !== undefined) checkNested(text, parse, nesting + 1);
  }
}

function checkNested(text: string, parse: Parse, nesting: number): void {
  if (nesting > NESTING_MAX)
    throw new Refused("not_allowed", "The query holds queries in texts too deep inside of it.");
  let statements: unknown[];
  try {
    statements = statementsOf(text, parse);
  } catch (error) {
    // A text argument that is no statement, such as a search expression, is run by nobody.
    if (error instanceof Error && "sqlDetails" in error) return;
    throw error;
  }
  for (const statement of statements) {
    const [name, body] = entryOf(statement);
    checkReading(name, body, parse, nesting);
  }
}

/** The text of a constant; undefined for another constant; null for what is no constant. */
function constantText(argument: unknown): string | null | undefined {
  const [name, body] = entryOf(argument);
  if (name === "TypeCast") return constantText(body.arg);
  if (name === "NamedArgExpr") return constantText(body.arg);
  if (name !== "A_Const") return null;
  const text = (body.sval as Node | undefined)?.sval;
  return typeof text === "string" ? text : undefined;
}

function checkRelation(relation: Node): void {
  if (typeof relation.relname === "string" && isRefusedRelation(relation.relname)) {
    throw new Refused("not_allowed", `${relation.relname} cannot be read here. ${SERVER}`);
  }
}

function checkSelectedNames(names: readonly string[]): void {
  for (const name of names) {
    refuseFunction(name);
    if (STATEMENT_FUNCTIONS.has(name)) throw new Refused("not_allowed", `${name} cannot be called in this form.`);
  }
}

function refuseFunction(name: string): void {
  if (isRefusedFunction(name)) throw new Refused("not_allowed", `The function ${name} cannot be used here. ${SERVER}`);
}

function statementsOf(text: string, parse: Parse): unknown[] {
  // The parser refuses an empty text in a way of its own.
  return text.trim() === "" ? [] : (parse(text).stmts ?? []).map((each) => each.stmt);
}

function stringsOf(list: unknown): string[] {
  if (!Array.isArray(list)) return [];
  return list.flatMap((item) => {
    const [name, body] = entryOf(item);
    return name === "String" && typeof body.sval === "string" ? [body.sval] : [];
  });
}

/** A node is an object of one key, its kind. */
function entryOf(node: unknown): [name: string, body: Node] {
  if (typeof node !== "object" || node === null) return ["", {}];
  const [entry] = Object.entries(node);
  if (!entry) return ["", {}];
  const [name, body] = entry;
  return [name, typeof body === "object" && body !== null ? (body as Node) : {}];
}

function wordOf(name: string): string {
  return name
    .replace(/Stmt$/, "")
    .replace(/(?<=[a-z])(?=[A-Z])/g, " ")
    .toUpperCase();
}
