import { encodeKey } from "../bson/keys.ts";
import { type Doc, isDoc, type Value } from "../bson/values.ts";
import { StoreError } from "../errors.ts";
import { compileExpression } from "../expressions/compile.ts";
import type { Env, Variables } from "../expressions/scope.ts";
import { PAUSE } from "../scheduling/flow.ts";
import {
  type Accumulator,
  type AccumulatorFactory,
  compileAccumulator,
  ENTRY_BYTES,
  type Spending,
} from "./accumulators.ts";
import type { Items } from "./items.ts";

/** MongoDB's memory limit of a stage. */
const MAX_GROUP_BYTES = 100 * 1024 * 1024;

/** Compiles `$group`. */
export function compileGroup(spec: Value, variables: Variables): (input: Items) => Items {
  if (!isDoc(spec)) throw new StoreError(15947, "a group's fields must be specified in an object");
  const id = spec.get("_id");
  if (id === undefined) throw new StoreError(15955, "a group specification must include an _id");
  const evaluateId = compileExpression(id, variables);
  const spending: Spending = { bytes: 0 };
  const fields: [string, AccumulatorFactory][] = [];
  for (const [name, value] of spec) {
    if (name === "_id") continue;
    if (name.includes(".")) throw new StoreError(40235, `The field name '${name}' cannot contain '.'`);
    if (name.startsWith("$")) throw new StoreError(40236, `The field name '${name}' cannot be an operator name`);
    fields.push([name, compileAccumulator(name, value, variables, spending)]);
  }
  type Group = { id: Value; states: Accumulator[] };
  return function* group(input) {
    spending.bytes = 0;
    const groups = new Map<string, Group>();
    const take = (key: string, doc: Doc): void => {
      const env: Env = { root: doc, scope: variables.scope };
      let found = groups.get(key);
      if (found === undefined) {
        spending.bytes += ENTRY_BYTES + key.length;
        found = { id: evaluateId(env) ?? null, states: fields.map(([, make]) => make()) };
        groups.set(key, found);
      }
      for (const state of found.states) state.add(env);
    };
    for (const item of input) {
      if (item === PAUSE) {
        yield PAUSE;
        continue;
      }
      // Missing and null are one group, as in MongoDB.
      const id = evaluateId({ root: item.doc, scope: variables.scope }) ?? null;
      take(encodeKey(id).toString("latin1"), item.doc);
      if (spending.bytes > MAX_GROUP_BYTES) throw groupTooLarge();
    }
    for (const { id, states } of groups.values()) yield { doc: assemble(id, fields, states) };
  };
}

function groupTooLarge(): StoreError {
  return new StoreError(
    "QueryExceededMemoryLimitNoDiskUseAllowed",
    `Exceeded memory limit of ${MAX_GROUP_BYTES} bytes for $group. This store does not group on disk: filter first.`,
  );
}

function assemble(id: Value, fields: readonly [string, AccumulatorFactory][], states: readonly Accumulator[]): Doc {
  const doc: Doc = new Map([["_id", id]]);
  fields.forEach(([name], i) => {
    doc.set(name, states[i]?.value() ?? null);
  });
  return doc;
}
