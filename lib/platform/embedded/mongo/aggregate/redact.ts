import { type Doc, isDoc, type Value } from "../bson/values.ts";
import { StoreError } from "../errors.ts";
import { compileExpression } from "../expressions/compile.ts";
import type { Variables } from "../expressions/scope.ts";

/** Compiles `$redact`: keeps, prunes or descends into each level of a document; undefined when nothing is kept. */
export function compileRedact(argument: Value, variables: Variables): (doc: Doc) => Doc | undefined {
  const evaluate = compileExpression(argument, variables);
  const redact = (level: Doc, root: Doc): Doc | undefined => {
    const decision = evaluate({ root, current: level, scope: variables.scope });
    if (decision === "KEEP") return level;
    if (decision === "PRUNE") return undefined;
    if (decision !== "DESCEND") {
      throw new StoreError(
        17053,
        "$redact's expression should not return anything aside from the variables $$KEEP, $$DESCEND, and $$PRUNE",
      );
    }
    const kept: Doc = new Map();
    for (const [name, value] of level) {
      const inner = within(value, root);
      if (inner !== undefined) kept.set(name, inner);
    }
    return kept;
  };
  const within = (value: Value, root: Doc): Value | undefined => {
    if (isDoc(value)) return redact(value, root);
    if (!Array.isArray(value)) return value;
    return value.map((item) => within(item, root)).filter((item): item is Value => item !== undefined);
  };
  return (doc) => redact(doc, doc);
}
