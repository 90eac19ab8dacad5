import type { Value } from "../../../lib/platform/embedded/mongo/bson/values.ts";
import { failedToParse } from "../../../lib/platform/embedded/mongo/errors.ts";
import { checkNames, requireDoc } from "../../../lib/platform/embedded/mongo/expressions/arguments.ts";
import type { Compile, Evaluator } from "../../../lib/platform/embedded/mongo/expressions/scope.ts";

export type NamedEvaluators<Required extends string, Optional extends string> = { [K in Required]: Evaluator } & {
  [K in Optional]?: Evaluator;
};

/** Compiles the named arguments of an operator, such as `{input, find, replacement}`. */
export function named<Required extends string, Optional extends string>(
  operator: string,
  argument: Value,
  compile: Compile,
  required: readonly Required[],
  optional: readonly Optional[],
): NamedEvaluators<Required, Optional> {
  const doc = requireDoc(operator, argument);
  checkNames(operator, doc, [...required, ...optional]);
  const result: Partial<Record<Required | Optional, Evaluator>> = {};
  for (const name of required) {
    if (!doc.has(name)) throw failedToParse(`Missing '${name}' parameter to ${operator}`);
  }
  for (const name of [...required, ...optional]) {
    const value = doc.get(name);
    if (value !== undefined) result[name] = compile(value);
  }
  return result as NamedEvaluators<Required, Optional>;
}
