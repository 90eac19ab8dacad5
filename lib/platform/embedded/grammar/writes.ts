import { type StatementWrite, type WriteReason, worse } from "../../../base/sql/writes.ts";
import { STATEMENT_FUNCTIONS } from "./functions.ts";
import { constantText, entryOf, type Node, type Parse, statementsOf, stringsOf } from "./tree.ts";

/** Statements that change nothing by themselves; their parts may. */
const READING: ReadonlySet<string> = new Set([
  ...["SelectStmt", "VariableShowStmt", "TransactionStmt", "VariableSetStmt", "ConstraintsSetStmt", "DiscardStmt"],
  ...["DeclareCursorStmt", "FetchStmt", "ClosePortalStmt", "DeallocateStmt", "ListenStmt", "UnlistenStmt"],
]);
/** Statements that change rows, also within another one. */
const CHANGES: Readonly<Record<string, WriteReason>> = {
  InsertStmt: "write",
  MergeStmt: "write",
  UpdateStmt: "update_without_where",
  DeleteStmt: "delete_without_where",
};
/** Maximum nesting of statements in texts; deeper ones count as writes. */
const NESTING_MAX = 3;

/**
 * Returns the write of a statement, the most severe of its parts; null if it only reads. The writes of functions are
 * unknown, except of those that run a text.
 */
export function findTreeWrite(statement: unknown, parse: Parse, nesting = 0): StatementWrite | null {
  const [name, body] = entryOf(statement);
  if (name === "ExplainStmt") {
    const isRun = list(body.options).some((option) => entryOf(option)[1].defname === "analyze");
    return isRun ? findTreeWrite(body.query, parse, nesting) : null;
  }
  // Confirmed once, when it is prepared: EXECUTE names no table.
  if (name === "PrepareStmt") return findTreeWrite(body.query, parse, nesting);
  if (name === "CopyStmt" && body.is_from !== true) {
    return body.query === undefined ? null : findTreeWrite(body.query, parse, nesting);
  }
  const own = ownWrite(name, body);
  // A routine's or a rule's body runs later.
  if (own !== null && !(name in CHANGES)) return own;
  let found = own;
  const waiting: unknown[] = [body];
  while (waiting.length > 0) {
    const node = waiting.pop();
    if (Array.isArray(node)) for (const item of node) waiting.push(item);
    else if (typeof node === "object" && node !== null) {
      for (const [key, value] of Object.entries(node)) {
        if (key in CHANGES) found = worse(found, ownWrite(key, value as Node));
        if (key === "intoClause") found = worse(found, { reason: "write", table: tableOf((value as Node).rel) });
        if (key === "FuncCall") found = worse(found, textWrite(value as Node, parse, nesting));
        if (typeof value === "object" && value !== null) waiting.push(value);
      }
    }
  }
  return found;
}

function ownWrite(name: string, body: Node): StatementWrite | null {
  const change = CHANGES[name];
  if (change !== undefined) {
    const isFiltered = change === "write" || body.whereClause !== undefined;
    return { reason: isFiltered ? "write" : change, table: tableOf(body.relation) };
  }
  if (name === "TruncateStmt") return { reason: "truncate", table: tableOf(entryOf(list(body.relations)[0])[1]) };
  if (/^Drop/.test(name)) return { reason: "drop", table: droppedOf(body) };
  return READING.has(name) ? null : { reason: "write", table: tableOf(body.relation) };
}

/** The write of a text that a function runs; one that is not a constant counts as a write. */
function textWrite(call: Node, parse: Parse, nesting: number): StatementWrite | null {
  const places = STATEMENT_FUNCTIONS.get(stringsOf(call.funcname).at(-1) ?? "");
  if (places === undefined) return null;
  const unknown: StatementWrite = { reason: "write", table: null };
  if (nesting === NESTING_MAX) return unknown;
  let found: StatementWrite | null = null;
  for (const place of places) {
    const argument = list(call.args)[place];
    const text = argument === undefined ? undefined : constantText(argument);
    if (text === undefined) continue;
    if (text === null) return unknown;
    for (const statement of parsed(text, parse)) found = worse(found, findTreeWrite(statement, parse, nesting + 1));
  }
  return found;
}

/** The statements of a text; none if this grammar rejects it, as the database then does. */
function parsed(text: string, parse: Parse): unknown[] {
  try {
    return statementsOf(text, parse);
  } catch (error) {
    if (error instanceof Error && "sqlDetails" in error) return [];
    throw error;
  }
}

function tableOf(relation: unknown): StatementWrite["table"] {
  const { schemaname, relname } = (relation ?? {}) as Node;
  if (typeof relname !== "string") return null;
  return { schema: typeof schemaname === "string" ? schemaname : null, name: relname };
}

/** The first object of a DROP: its qualified name is a list, or a node with one. */
function droppedOf({ objects }: Node): StatementWrite["table"] {
  const [kind, body] = entryOf(list(objects)[0]);
  const path = stringsOf(kind === "List" ? body.items : kind === "TypeName" ? body.names : body.objname);
  const name = path.at(-1);
  return name === undefined ? null : { schema: path.at(-2) ?? null, name };
}

function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
