import type { Doc, Value } from "../bson/values.ts";

/** Variables by name, innermost first. */
export type Scope = { readonly name: string; readonly value: Value | undefined; readonly parent: Scope } | undefined;

/** Inputs of an expression's evaluation. */
export type Env = { readonly root: Doc; readonly scope: Scope };
export type Evaluator = (env: Env) => Value | undefined;

/** Variables known when an expression is compiled: values in scope, and further names that are bound at run time. */
export type Variables = { readonly scope: Scope; readonly names?: ReadonlySet<string> };

export type Compile = (expression: Value, newNames?: readonly string[]) => Evaluator;
export type Operator = (argument: Value, compile: Compile, name: string) => Evaluator;

export function bind(scope: Scope, name: string, value: Value | undefined): Scope {
  return { name, value, parent: scope };
}

/** Returns the value of a variable; undefined when it is unbound or missing. */
export function lookUp(scope: Scope, name: string): Value | undefined {
  for (let inner = scope; inner !== undefined; inner = inner.parent) if (inner.name === name) return inner.value;
  return undefined;
}
