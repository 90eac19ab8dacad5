import type { ObjectId } from "mongodb";
import { findNestedClause, type Mark, type Span } from "@/lib/base/sql/marks";
import type { QuerySuggestion } from "@/lib/base/sql/query-error";
import { toPresetDays } from "@/lib/base/values/date-presets";
import { ExactNumber, isRounded } from "@/lib/base/values/exact-json";
import type { Driver } from "@/lib/features/connections/data-source";
import { checkStatementText } from "@/lib/features/connections/drivers/shared/statements/check";
import { positionOf } from "@/lib/features/connections/drivers/shared/text-position";
import type { TypedValue, VariableBinder } from "@/lib/features/connections/variables";
import type { InputProblem } from "@/lib/platform/http/errors";
import { AppError } from "@/lib/platform/http/errors";
import type { VariableValue } from "./schema";

const NO_NAMES: ReadonlySet<string> = new Set();
/** Length of the `[[` and `]]` of an optional clause. */
const BRACKETS = 2;

/** Parts of a driver's declaration that determine how consoles are read and bound. */
export type ConsoleSyntax = Pick<Driver, "label" | "language" | "dialect" | "variables">;

/** A statement that the engine accepts, with the mapping of its text to the console's. */
export type BoundStatement = {
  query: string;
  params?: unknown[] | Record<string, unknown>;
  /** Names of the console's variables, bound or left out. */
  names: ReadonlySet<string>;
  /** Returns the offset in the console's text for one in `query`. */
  toSource: (offset: number) => number;
};

/**
 * Replaces each `{{name}}` with the engine's placeholder; the values are sent separately. Strings and comments stay
 * unchanged. An optional clause `[[…]]` with a variable without a value, or with null, is left out.
 * @param zone time zone for the days of date presets
 * @param workspaceId workspace of the statement: workspaces alternate in reading long texts
 * @throws AppError `invalid_request`, naming every variable without a value; for an engine without variables; and for a
 *   text with the engine's placeholders: they and the variables would get each other's values
 */
export async function bindVariables(
  content: string,
  syntax: ConsoleSyntax,
  values: Readonly<Record<string, VariableValue>>,
  workspaceId: ObjectId,
  zone = "UTC",
): Promise<BoundStatement> {
  // Most texts have no variables, and long ones are read in a thread.
  const plain = unbound(content);
  if (!content.includes("{{")) return plain;
  const { language, dialect = "standard", variables } = syntax;
  const request = { query: content, language, dialect, own: variables?.own ?? null };
  const { marks, ownPlaceholder } = await checkStatementText("variables", request, String(workspaceId));
  if (marks.length === 0) return plain;
  const nested = findNestedClause(marks);
  if (nested) throw new AppError("invalid_request", nested.message, { details: positionOf(content, nested.offset) });
  const isGiven = ({ name }: Mark) => Object.hasOwn(values, name) && values[name] !== null;
  const left = new Set(marks.flatMap((mark) => (mark.clause && !isGiven(mark) ? mark.clause.start : [])));
  const used = marks.filter(({ clause }) => !clause || !left.has(clause.start));
  const missing = [...new Set(used.map(({ name }) => name))].filter((name) => !Object.hasOwn(values, name));
  if (missing.length > 0) throw lacking(missing);
  const binder = beginBinding(ownPlaceholder, syntax);
  const clock = { now: new Date(), zone };
  const parts: { span: Span; text: string }[] = used.map((mark) => {
    const placeholder = binder.add(mark.name, toTyped(values[mark.name] ?? null, clock));
    return { span: mark, text: apart(placeholder, content.charAt(mark.start - 1), content.charAt(mark.end)) };
  });
  for (const clause of new Map(marks.map(({ clause }) => [clause?.start, clause])).values()) {
    if (!clause) continue;
    const [opening, closing] = [clause.start + BRACKETS, clause.end - BRACKETS];
    if (left.has(clause.start)) parts.push({ span: clause, text: " " });
    else {
      parts.push({ span: { start: clause.start, end: opening }, text: " " });
      parts.push({ span: { start: closing, end: clause.end }, text: " " });
    }
  }
  parts.sort((a, b) => a.span.start - b.span.start);
  let query = "";
  let from = 0;
  const shifts: { start: number; end: number; source: Span }[] = [];
  for (const { span, text } of parts) {
    query += content.slice(from, span.start);
    shifts.push({ start: query.length, end: query.length + text.length, source: span });
    query += text;
    from = span.end;
  }
  query += content.slice(from);
  const names = new Set(marks.map(({ name }) => name));
  return { query, params: binder.params(), names, toSource: (offset) => sourceOffset(shifts, offset) };
}

/** Returns a statement without variables. */
export function unbound(query: string): BoundStatement {
  return { query, names: NO_NAMES, toSource: (offset) => offset };
}

/** Returns the error with its position in the console's text: placeholders and names differ in length. */
export function inSource(error: unknown, content: string, { query, toSource }: BoundStatement): unknown {
  if (query === content || !(error instanceof AppError) || !error.details || Array.isArray(error.details)) return error;
  const { position, line, column, suggestions } = error.details;
  const offset = typeof position === "number" ? position - 1 : offsetOf(query, line, column);
  if (offset === null && suggestions === undefined) return error;
  const source = offset === null ? null : toSource(offset);
  const before = content.slice(0, source ?? 0).split("\n");
  const place = source !== null && { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
  return new AppError(error.kind, error.message, {
    cause: error.cause,
    retryAfterSeconds: error.retryAfterSeconds,
    headers: error.headers,
    details: {
      ...error.details,
      ...(source !== null && typeof position === "number" && { position: source + 1 }),
      ...place,
      ...(Array.isArray(suggestions) && {
        suggestions: suggestions.map((each: QuerySuggestion) => ({
          ...each,
          from: toSource(each.from),
          to: toSource(each.to),
        })),
      }),
    },
  });
}

/** Returns the offset of a line and column, which count from 1; null if the error has none. */
function offsetOf(text: string, line: unknown, column: unknown): number | null {
  if (typeof line !== "number") return null;
  const lines = text.split("\n");
  const start = lines.slice(0, line - 1).reduce((sum, each) => sum + each.length + 1, 0);
  return start + (typeof column === "number" ? column - 1 : 0);
}

function beginBinding(ownPlaceholder: string | null, { label, variables }: ConsoleSyntax): VariableBinder {
  if (!variables) {
    throw new AppError("invalid_request", `${label} does not support variables. Put the values in the query.`);
  }
  if (ownPlaceholder !== null) {
    throw new AppError("invalid_request", `Use only {{name}} variables. The query also contains “${ownPlaceholder}”.`);
  }
  return variables.begin();
}

function toTyped(value: VariableValue, { now, zone }: { now: Date; zone: string }): TypedValue {
  if (value === null) return { type: "null" };
  if (typeof value === "string") return { type: "text", value };
  if (typeof value === "number") return { type: "number", value };
  if (typeof value === "boolean") return { type: "boolean", value };
  if ("preset" in value) {
    const { from, to } = toPresetDays(value.preset, now, zone);
    return { type: "date", value: value.edge === "end" ? to : from };
  }
  if (value.type !== "number" || typeof value.value === "number") return value as TypedValue;
  const number = Number(value.value);
  return { type: "number", value: isRounded(value.value, number) ? new ExactNumber(value.value) : number };
}

/** Keeps `x{{y}}` from becoming one word with its placeholder. */
function apart(placeholder: string, before: string, after: string): string {
  const isWord = (char: string) => /[\p{L}\p{N}_$?@:]/u.test(char);
  return `${isWord(before) ? " " : ""}${placeholder}${isWord(after) ? " " : ""}`;
}

function sourceOffset(shifts: { start: number; end: number; source: Span }[], offset: number): number {
  const last = shifts.findLast(({ start }) => start <= offset);
  if (!last) return offset;
  return offset < last.end ? last.source.start : last.source.end + (offset - last.end);
}

function lacking(names: string[]): AppError {
  const details: InputProblem[] = names.map((name) => ({ path: `variables.${name}`, message: "Value required." }));
  const list = names.join(", ");
  return new AppError("invalid_request", `Enter a value for ${list}.`, {
    details,
  });
}
