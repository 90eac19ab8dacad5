import {
  EMPTY_STATEMENT_MESSAGE,
  ONE_STATEMENT_MESSAGE,
  OWN_TRANSACTION_MESSAGE,
  READ_ONLY_MESSAGE,
} from "../../../base/sql/statement-messages.ts";
import { SETTING_FUNCTION, STATEMENT_FUNCTIONS } from "./functions.ts";
import { constantText, entryOf, type Node, type Parse, statementsOf, stringsOf } from "./tree.ts";
import type { JudgeRequest, Use, Verdict } from "./verdict.ts";
import { findTreeWrite } from "./writes.ts";

/*
 * Checks a statement by the parse tree of PostgreSQL's own grammar (T42, T50). The whole tree is walked, because a CTE
 * that deletes may be inside a plain SELECT. Only the database knows what the names refer to, so they are collected for
 * a later check there. The session has further guards: the extended protocol takes one statement only, and the
 * transaction is read-only.
 */

const SETTINGS = "Settings can't be changed because the session is reset before and after each statement.";
const PREPARED = "Session state is reset after each statement. Use `params` instead.";
const COPY_LINE = "COPY from or to the client is not supported. Use SELECT or INSERT.";
/** Maximum nesting of statements in a statement's text; real queries have fewer levels. */
const NESTING_MAX = 3;
const JSON_NODE = /^Json[A-Z]/;

/** Refused outside of a manual session, because the effect would end with the statement's session. */
const IN_SESSION_ONLY: Readonly<Record<string, string>> = {
  TransactionStmt: OWN_TRANSACTION_MESSAGE,
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
};
/** Refused everywhere. */
const NEVER: Readonly<Record<string, string>> = {
  LoadStmt: "LOAD loads code into the database server and is not allowed.",
};
const TWO_PHASE = "PREPARE TRANSACTION is not allowed, because the transaction would outlive its session.";

const READING: ReadonlySet<string> = new Set(["SelectStmt", "ExplainStmt", "VariableShowStmt"]);
/** Refused on read-only connections for another reason than writing. */
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

class Refused extends Error {
  readonly kind: "query_failed" | "read_only" | "not_allowed";

  constructor(kind: "query_failed" | "read_only" | "not_allowed", message: string) {
    super(message);
    this.kind = kind;
  }
}

/**
 * Checks a statement.
 * @param parse PostgreSQL's grammar; throws an error with `sqlDetails` for unknown syntax
 * @throws what `parse` throws
 */
export function judge(
  query: string,
  readOnly: boolean,
  parse: Parse,
  { statementFunctions = [], isInSession = false }: Partial<JudgeRequest> = {},
): Verdict {
  const statements = statementsOf(query, parse);
  if (statements.length === 0) {
    return { status: "refused", kind: "invalid_request", message: EMPTY_STATEMENT_MESSAGE };
  }
  if (statements.length > 1) return { status: "refused", kind: "query_failed", message: ONE_STATEMENT_MESSAGE };
  const [name, body] = entryOf(statements[0]);
  const reading = new Reading(parse, new Set(statementFunctions));
  try {
    checkAlways(name, body, isInSession);
    if (readOnly) reading.check(name, body, 0);
  } catch (error) {
    if (error instanceof Refused) return { status: "refused", kind: error.kind, message: error.message };
    throw error;
  }
  const write = readOnly ? null : findTreeWrite(statements[0], parse);
  return { status: "ok", returnsRows: READING.has(name), uses: reading.uses, write };
}

function checkAlways(name: string, body: Node, isInSession: boolean): void {
  const refusal = NEVER[name] ?? (isInSession ? undefined : IN_SESSION_ONLY[name]);
  if (refusal !== undefined) throw new Refused("not_allowed", refusal);
  if (body.kind === "TRANS_STMT_PREPARE") throw new Refused("not_allowed", TWO_PHASE);
  if (name === "CopyStmt" && body.filename === undefined) throw new Refused("not_allowed", COPY_LINE);
}

/** A statement on a read-only connection, with the statements in its texts. */
class Reading {
  readonly #parse: Parse;
  readonly #statementFunctions: ReadonlySet<string>;
  readonly #uses = new Map<string, Use>();

  constructor(parse: Parse, statementFunctions: ReadonlySet<string>) {
    this.#parse = parse;
    this.#statementFunctions = statementFunctions;
  }

  /** Returns all names except plain columns, each once. */
  get uses(): Use[] {
    return [...this.#uses.values()];
  }

  check(name: string, body: Node, nesting: number): void {
    if (BEYOND.has(name)) {
      throw new Refused("not_allowed", `${wordOf(name)} is not allowed on a read-only connection.`);
    }
    if (!READING.has(name)) throw new Refused("read_only", READ_ONLY_MESSAGE);
    if (name === "ExplainStmt") {
      const [explained, inner] = entryOf(body.query);
      // EXPLAIN ANALYZE runs its statement, and a plain EXPLAIN of a write is useless without write permission.
      if (explained !== "SelectStmt") throw new Refused("read_only", READ_ONLY_MESSAGE);
      this.check(explained, inner, nesting);
      return;
    }
    // `SHOW ALL` has the name "all".
    if (name === "VariableShowStmt") this.#addSetting(body.name === "all" ? null : body.name);
    this.#walk(body, nesting);
  }

  /** Uses a stack instead of recursion, because a long chain of operators is a deep tree. */
  #walk(root: unknown, nesting: number): void {
    const waiting: unknown[] = [root];
    while (waiting.length > 0) {
      const node = waiting.pop();
      if (Array.isArray(node)) {
        for (const item of node) waiting.push(item);
      } else if (typeof node === "object" && node !== null) {
        for (const [key, value] of Object.entries(node)) {
          this.#checkNode(key, value, nesting);
          if (typeof value === "object" && value !== null) waiting.push(value);
        }
      }
    }
  }

  #checkNode(key: string, value: unknown, nesting: number): void {
    if (CHANGING.has(key) || key === "intoClause") throw new Refused("read_only", READ_ONLY_MESSAGE);
    if (key === "lockingClause" && Array.isArray(value) && value.length > 0) {
      throw new Refused(
        "read_only",
        "Row locks are not allowed on a read-only connection. Remove FOR UPDATE and FOR SHARE.",
      );
    }
    if (key === "FuncCall") this.#checkCall(value as Node, nesting);
    if (key === "RangeVar") this.#addRelation(value as Node);
    // A type is a separate node in some places and a field of its parent in others.
    if (key === "TypeName" || key === "typeName") this.#add("t", stringsOf((value as Node).names));
    if (key === "method") this.#add("f", stringsOf(value));
    // JSON_OBJECT, JSON_QUERY and similar convert values to JSON without a function's name.
    if (JSON_NODE.test(key)) this.#add("f", ["pg_catalog", "to_json"], 1);
    if (key === "useOp" || key === "operName") this.#add("o", stringsOf(value));
    if (key === "A_Expr") this.#add("o", stringsOf((value as Node).name));
    // `x.name` and `(x).name` call the function `name` with x when no such column exists.
    if (key === "ColumnRef") this.#addSelected(stringsOf((value as Node).fields).slice(1));
    if (key === "A_Indirection") this.#addSelected(stringsOf((value as Node).indirection));
  }

  #checkCall(call: Node, nesting: number): void {
    const names = stringsOf(call.funcname);
    const args: unknown[] = Array.isArray(call.args) ? call.args : [];
    const isCountKnown = call.func_variadic !== true && call.agg_within_group !== true;
    this.#add("f", names, isCountKnown ? args.length : null);
    const name = names.at(-1) ?? "";
    if (name === SETTING_FUNCTION) this.#addSetting(constantText(args[0]));
    const places = this.#statementFunctions.has(name) ? args.keys() : STATEMENT_FUNCTIONS.get(name);
    if (places === undefined) return;
    // The other form takes three values, none of which is a statement.
    if (name === "ts_rewrite" && args.length !== 2) return;
    if (args.some((argument) => entryOf(argument)[0] === "NamedArgExpr")) {
      throw new Refused("not_allowed", `Call ${name} with positional arguments, so that its query can be checked.`);
    }
    for (const place of places) this.#checkNested(name, args[place], nesting + 1);
  }

  #checkNested(name: string, argument: unknown, nesting: number): void {
    if (argument === undefined) return;
    const text = constantText(argument);
    if (text === null) {
      throw new Refused("not_allowed", `${name} requires its query as a plain string, so that it can be checked.`);
    }
    if (text === undefined) return;
    if (nesting > NESTING_MAX) {
      throw new Refused("not_allowed", "Queries in strings are nested too deeply.");
    }
    let statements: unknown[];
    try {
      statements = statementsOf(text, this.#parse);
    } catch (error) {
      // An older or newer server might parse it.
      if (!(error instanceof Error && "sqlDetails" in error)) throw error;
      throw new Refused("query_failed", `Invalid query in the string for ${name}: ${error.message}`);
    }
    for (const statement of statements) {
      const [inner, body] = entryOf(statement);
      this.check(inner, body, nesting);
    }
  }

  #addRelation({ schemaname, relname }: Node): void {
    if (typeof relname === "string") this.#add("r", typeof schemaname === "string" ? [schemaname, relname] : [relname]);
  }

  #addSelected(names: readonly string[]): void {
    for (const name of names) {
      this.#add("a", [name]);
      if (name === SETTING_FUNCTION) this.#addSetting(null);
      if (STATEMENT_FUNCTIONS.has(name) || this.#statementFunctions.has(name)) {
        throw new Refused("not_allowed", `${name} is not supported in this form.`);
      }
    }
  }

  /** @param name any other value than a text: the setting is known only when the statement runs */
  #addSetting(name: unknown): void {
    this.#add("s", [typeof name === "string" ? name : ""]);
  }

  #add(kind: Use["kind"], names: readonly string[], args: number | null = null): void {
    const name = names.at(-1);
    if (name === undefined) return;
    const use: Use = { kind, schema: names.at(-2) ?? null, name, args };
    this.#uses.set(JSON.stringify(use), use);
  }
}

function wordOf(name: string): string {
  return name
    .replace(/Stmt$/, "")
    .replace(/(?<=[a-z])(?=[A-Z])/g, " ")
    .toUpperCase();
}
