import "server-only";
import { METRIC_GRAINS, type MetricGrain } from "@/lib/base/sql/dialects/metric-sql";
import { readSqlTokens, type SqlToken } from "@/lib/base/sql/lexer";
import { driverOf } from "@/lib/features/connections/drivers/registry";
import type { ConnectionDoc } from "@/lib/features/connections/model";
import type { VariableValue } from "@/lib/features/query/schema";
import { type BoundStatement, bindVariables } from "@/lib/features/query/variables";
import type { Caller } from "@/lib/platform/access/caller";
import { AppError, invalidInput } from "@/lib/platform/http/errors";
import { planMetrics } from "./query";
import { findDefinitions } from "./service";

const CALL = /\bmetric\s*\(/i;
/** Maximum length of a text that is searched for metrics, in UTF-16 units: reading it takes a few milliseconds. */
const TEXT_CHARS_MAX = 256 * 1024;
/** Maximum number of metrics in one text: each is planned. */
const CALLS_MAX = 50;

/** `metric(name, dimension grain, …)` in a text. */
type Call = { start: number; end: number; name: string; dimensions: { name: string; grain?: MetricGrain }[] };

/**
 * Returns a console's text as a statement of its connection: variables bound, then metrics expanded.
 * @param values value for each variable of the text
 * @param timezone time zone for date presets. Default: UTC
 * @throws AppError as `bindVariables` and `expandMetrics`
 */
export async function bindConsole(
  caller: Caller,
  connection: ConnectionDoc,
  {
    content,
    values,
    timezone,
  }: { content: string; values: Readonly<Record<string, VariableValue>>; timezone?: string },
): Promise<BoundStatement> {
  const bound = await bindVariables(content, driverOf(connection.type), values, connection.workspaceId, timezone);
  return expandMetrics(caller, connection, bound);
}

/**
 * Replaces each `metric(name)` of a console's text with the statement of that question, in parentheses: a value, or a
 * table with the dimensions that follow the name. A function of the database with this name is left alone unless its
 * first argument names a metric.
 * @throws AppError `invalid_request` for a question without an answer, and for a metric of another connection
 */
export async function expandMetrics(
  caller: Caller,
  connection: ConnectionDoc,
  bound: BoundStatement,
): Promise<BoundStatement> {
  const { query } = bound;
  const { dialect } = driverOf(connection.type);
  if (!dialect || query.length > TEXT_CHARS_MAX || !CALL.test(query)) return bound;
  const calls = findCalls(readSqlTokens(query, dialect));
  if (calls.length > CALLS_MAX) throw invalidInput("content", `Use at most ${CALLS_MAX} metrics in a query.`);
  const parts: { start: number; end: number; source: Call }[] = [];
  let text = "";
  let from = 0;
  for (const call of calls) {
    const sql = await statementOf(caller, connection, call);
    if (sql === null) continue;
    text += query.slice(from, call.start);
    const start = text.length;
    text += `(${sql})`;
    parts.push({ start, end: text.length, source: call });
    from = call.end;
  }
  if (parts.length === 0) return bound;
  const toBound = (offset: number) => {
    const last = parts.findLast(({ start }) => start <= offset);
    if (!last) return offset;
    return offset < last.end ? last.source.start : last.source.end + (offset - last.end);
  };
  return { ...bound, query: text + query.slice(from), toSource: (offset) => bound.toSource(toBound(offset)) };
}

/** @returns null if no metric has this name */
async function statementOf(
  caller: Caller,
  connection: ConnectionDoc,
  { name, dimensions }: Call,
): Promise<string | null> {
  const dot = name.indexOf(".");
  const [file, metric] = dot === -1 ? [undefined, name] : [name.slice(0, dot), name.slice(dot + 1)];
  if ((await findDefinitions(caller, metric, file)).length === 0) return null;
  const refuse = (message: string) => invalidInput("content", `metric(${name}): ${message}`);
  try {
    const { sql, connectionId } = await planMetrics(caller, { metrics: [name], dimensions });
    if (connection._id.equals(connectionId)) return sql;
  } catch (error) {
    if (error instanceof AppError && error.kind === "invalid_request") throw refuse(error.message);
    throw error;
  }
  throw refuse("The metric is on another connection. Run the query there.");
}

function findCalls(tokens: readonly SqlToken[]): Call[] {
  return tokens.flatMap((token, index) => {
    if (token.kind !== "word" || token.text.toLowerCase() !== "metric" || tokens[index + 1]?.text !== "(") return [];
    // A qualified name is a function of the database.
    if (tokens[index - 1]?.text === ".") return [];
    const given = readArguments(tokens, index + 2);
    return given ? [{ start: token.start, ...given }] : [];
  });
}

/**
 * Reads `name, dimension grain, …)`. Stops at the first token that fits no question, so that a text is read once, even
 * if it is full of calls.
 * @returns null for anything else
 */
function readArguments(tokens: readonly SqlToken[], from: number): Omit<Call, "start"> | null {
  const names: { name: string; grain?: MetricGrain }[] = [{ name: "" }];
  for (let at = from; at < tokens.length; at++) {
    const [token, last] = [tokens[at], names.at(-1)];
    if (!token || !last) return null;
    const { kind, text, end } = token;
    const isPart = kind === "word" || kind === "name";
    const isWhole = last.name !== "" && !last.name.endsWith(".");
    if (isPart && !isWhole) last.name += text;
    else if (isPart) {
      const grain = METRIC_GRAINS.find((each) => each === text.toLowerCase());
      if (!grain || last.grain) return null;
      last.grain = grain;
    } else if (kind !== "symbol" || !isWhole) return null;
    else if (text === ",") names.push({ name: "" });
    else if (text === "." && !last.grain) last.name += ".";
    else {
      const [first, ...dimensions] = names;
      return text === ")" && first && !first.grain ? { end, name: first.name, dimensions } : null;
    }
  }
  return null;
}
