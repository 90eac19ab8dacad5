import { createHash } from "node:crypto";
import { canonicalJson } from "./canonical-json";

/**
 * The supported part of CEL, the expression language of triggers, waits and cancellations: `==` comparisons of paths
 * and literals, joined by `&&`. Anything else is rejected when it is parsed.
 *
 * Such an expression is evaluated by a key: the values of one side, compared with those of the other. An index on the
 * key finds the waits that match an event, however many there are.
 */
export type Expression = { text: string; comparisons: readonly [Operand, Operand][] };
type Side = "event" | "async";
type Operand = { path: readonly [Side, ...string[]] } | { literal: string | number | boolean | null };
/** Variables of an expression: `event` started the run, `async` is the new event. */
export type Scope = Partial<Record<Side, unknown>>;

export class ExpressionError extends Error {
  constructor(text: string) {
    super(
      `Unsupported expression ${JSON.stringify(text)}. Use comparisons such as event.data.id == async.data.id, joined by &&.`,
    );
    this.name = "ExpressionError";
  }
}

const TOKEN =
  /\s*(?:(==|&&)|([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)|("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')|(-?\d+(?:\.\d+)?))/y;
const WORDS = new Map<string, boolean | null>([
  ["true", true],
  ["false", false],
  ["null", null],
]);

/** @throws ExpressionError */
export function readExpression(text: string): Expression {
  const comparisons: [Operand, Operand][] = [];
  const tokens = tokenize(text);
  for (let at = 0; ; at += 4) {
    const [left, equals, right, and] = tokens.slice(at, at + 4);
    if (left === undefined || equals !== "==" || right === undefined) throw new ExpressionError(text);
    comparisons.push([toOperand(left, text), toOperand(right, text)]);
    if (and === undefined) return { text, comparisons };
    if (and !== "&&") throw new ExpressionError(text);
  }
}

/**
 * Parses the condition of a wait; null for an empty one, which every event of the name meets. @throws ExpressionError
 */
export function readCondition(text: string): Expression | null {
  return text === "" ? null : readExpression(text);
}

/** Parses a single path such as `event.data.key`. @throws ExpressionError */
export function readPath(text: string): (scope: Scope) => unknown {
  const [token, ...rest] = tokenize(text);
  const operand = token === undefined || rest.length > 0 ? null : toOperand(token, text);
  if (operand === null || !("path" in operand)) throw new ExpressionError(text);
  return (scope) => valueIn(operand, scope);
}

/** Returns whether all comparisons are true. A missing path equals nothing. */
export function holds({ comparisons }: Expression, scope: Scope): boolean {
  return comparisons.every(([left, right]) => isEqual(valueIn(left, scope), valueIn(right, scope)));
}

/**
 * Returns the key of one side's values. An event matches a run when both sides have the same key.
 * @returns null when a comparison within this side is false or a value is missing: then nothing can match
 */
export function keyOf(expression: Expression | null, side: Side, scope: Scope): string | null {
  const values: unknown[] = [];
  for (const [left, right] of expression?.comparisons ?? []) {
    const [a, b] = [sideOf(left), sideOf(right)];
    if (a !== null && b !== null && a !== b) {
      const value = valueIn(a === side ? left : right, scope);
      if (value === undefined) return null;
      values.push(value);
    } else if ((a ?? b ?? "event") === side && !isEqual(valueIn(left, scope), valueIn(right, scope))) {
      return null;
    }
  }
  return createHash("sha256").update(canonicalJson(values)).digest("base64url");
}

function tokenize(text: string): string[] {
  const tokens: string[] = [];
  TOKEN.lastIndex = 0;
  for (let end = 0; end < text.trimEnd().length; end = TOKEN.lastIndex) {
    const found = TOKEN.exec(text);
    if (!found) throw new ExpressionError(text);
    tokens.push(found[1] ?? found[2] ?? found[3] ?? (found[4] as string));
  }
  return tokens;
}

function toOperand(token: string, text: string): Operand {
  if (/^["']/.test(token)) return { literal: unquote(token, text) };
  if (/^-?\d/.test(token)) return { literal: Number(token) };
  const word = WORDS.get(token);
  if (word !== undefined) return { literal: word };
  const [side, ...names] = token.split(".");
  if ((side !== "event" && side !== "async") || names.length === 0) throw new ExpressionError(text);
  return { path: [side, ...names] };
}

function unquote(token: string, text: string): string {
  const inner = token
    .slice(1, -1)
    .replaceAll("\\'", "'")
    .replaceAll(/(?<!\\)"/g, '\\"');
  try {
    return JSON.parse(`"${inner}"`);
  } catch {
    throw new ExpressionError(text);
  }
}

function sideOf(operand: Operand): Side | null {
  return "path" in operand ? operand.path[0] : null;
}

function valueIn(operand: Operand, scope: Scope): unknown {
  if ("literal" in operand) return operand.literal;
  const [side, ...names] = operand.path;
  return names.reduce<unknown>((value, name) => {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
    return (value as Record<string, unknown>)[name];
  }, scope[side]);
}

function isEqual(left: unknown, right: unknown): boolean {
  return left !== undefined && right !== undefined && canonicalJson(left) === canonicalJson(right);
}
