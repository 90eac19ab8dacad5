import { type Doc, isDoc, type Value } from "../bson/values.ts";
import { failedToParse, StoreError } from "../errors.ts";
import { spend, spendText } from "../scheduling/effort.ts";
import { arithmeticOperators } from "./arithmetic.ts";
import { arrayOperators } from "./arrays.ts";
import { logicOperators } from "./logic.ts";
import { objectOperators } from "./objects.ts";
import { type Compile, type Evaluator, lookUp, type Operator, type Variables } from "./scope.ts";

/** Expression operators in scope (docs/develop/store-scope.md). */
export const EXPRESSIONS = new Map<string, Operator>([
  ...arithmeticOperators,
  ...arrayOperators,
  ...logicOperators,
  ...objectOperators,
]);

/**
 * Compiles an aggregation expression.
 * @throws StoreError InvalidPipelineOperator (168) for an unknown operator
 */
export function compileExpression(expression: Value, variables: Variables): Evaluator {
  const names = new Set(variables.names);
  for (let scope = variables.scope; scope !== undefined; scope = scope.parent) names.add(scope.name);
  return compileWithin(expression, names);
}

function compileWithin(expression: Value, names: ReadonlySet<string>): Evaluator {
  if (typeof expression === "string") {
    if (expression.startsWith("$$")) return compileVariable(expression.slice(2), names);
    if (expression.startsWith("$")) return compileFieldPath(expression.slice(1));
    return () => expression;
  }
  if (Array.isArray(expression)) {
    const items = expression.map((item) => compileWithin(item, names));
    return (env) => items.map((item) => item(env) ?? null);
  }
  if (!isDoc(expression)) return () => expression;
  const first = expression.keys().next().value;
  if (first?.startsWith("$")) {
    if (expression.size !== 1) {
      throw failedToOperate(
        `an expression specification must contain exactly one field, the name of the expression. Found ${expression.size} fields`,
      );
    }
    return compileOperator(first, expression.get(first) as Value, names);
  }
  const fields: [string, Evaluator][] = [];
  for (const [name, value] of expression) {
    if (name.startsWith("$")) throw failedToOperate(`field names may not start with '$': ${name}`);
    if (name.includes("."))
      throw new StoreError(16405, "FieldPath field names may not contain '.'. Consider using $getField or $setField.");
    fields.push([name, compileWithin(value, names)]);
  }
  return (env) => {
    const doc: Doc = new Map();
    for (const [name, evaluate] of fields) {
      const value = evaluate(env);
      if (value !== undefined) doc.set(name, value);
    }
    return doc;
  };
}

function failedToOperate(message: string): StoreError {
  return new StoreError(15983, message);
}

function compileOperator(name: string, argument: Value, names: ReadonlySet<string>): Evaluator {
  const operator = EXPRESSIONS.get(name);
  if (operator === undefined) throw new StoreError("InvalidPipelineOperator", `Unrecognized expression '${name}'`);
  const compile: Compile = (inner, newNames) =>
    compileWithin(inner, newNames === undefined ? names : new Set([...names, ...newNames]));
  const evaluate = operator(argument, compile, name);
  return (env) => spendOn(evaluate(env));
}

/** Counts the size of an operator's result as work. */
function spendOn(value: Value | undefined): Value | undefined {
  if (typeof value === "string") spendText(value.length);
  else spend(Array.isArray(value) ? 1 + value.length : 1);
  return value;
}

/** Variables that every document has, besides NOW of the command (docs/develop/store-scope.md). */
export const DOCUMENT_VARIABLES: ReadonlyMap<string, Evaluator> = new Map<string, Evaluator>([
  ["ROOT", (env) => env.root],
  ["REMOVE", () => undefined],
]);

function compileVariable(text: string, names: ReadonlySet<string>): Evaluator {
  const [name = "", ...path] = text.split(".");
  if (name === "") throw failedToParse("empty variable names are not allowed");
  const rest = checkedPath(path);
  const follow = (value: Value | undefined): Value | undefined =>
    rest.length === 0 ? value : readPath(value, rest, 0);
  const read = DOCUMENT_VARIABLES.get(name);
  if (read !== undefined) return (env) => follow(read(env));
  if (!names.has(name)) throw new StoreError(17276, `Use of undefined variable: ${name}`);
  return (env) => follow(lookUp(env.scope, name));
}

function checkedPath(parts: string[]): string[] {
  for (const part of parts) {
    if (part === "") throw new StoreError(40353, "FieldPath must not end with a '.'.");
    if (part.startsWith("$")) {
      throw new StoreError(
        16410,
        "FieldPath field names may not start with '$'. Consider using $getField or $setField.",
      );
    }
  }
  return parts;
}

function compileFieldPath(text: string): Evaluator {
  if (text === "") throw new StoreError(16872, "'$' is not a valid FieldPath");
  const parts = checkedPath(text.split("."));
  if (parts.length === 1) {
    const name = parts[0] as string;
    return (env) => env.root.get(name);
  }
  return (env) => readPath(env.root, parts, 0);
}

/** Reads a path through documents. An array on the path gives the array of its documents' values. */
export function readPath(value: Value | undefined, parts: readonly string[], from: number): Value | undefined {
  let here = value;
  for (let i = from; i < parts.length; i++) {
    if (here instanceof Map) here = here.get(parts[i] as string);
    else if (Array.isArray(here)) {
      const found: Value[] = [];
      for (const item of here) {
        const inner = item instanceof Map || (Array.isArray(item) && i > from) ? readPath(item, parts, i) : undefined;
        if (inner !== undefined) found.push(inner);
      }
      return found;
    } else return undefined;
  }
  return here;
}
