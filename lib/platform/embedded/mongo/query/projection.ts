import { type Doc, docOf, isDoc, isNumber, isTruthy, type Value } from "../bson/values.ts";
import { StoreError } from "../errors.ts";
import { compileExpression } from "../expressions/compile.ts";
import type { Env, Evaluator, Variables } from "../expressions/scope.ts";

export type Projection = {
  apply: (doc: Doc) => Doc;
  /** Top-level fields that the answer needs; undefined when it may need any. */
  fields: ReadonlySet<string> | undefined;
};

type ProjectionOptions = {
  variables: Variables;
  /** True for a find's projection, which may be empty. */
  isFind: boolean;
};

type Tree = Map<string, Tree | Leaf>;
type Leaf = { kind: "include" } | { kind: "exclude" } | { kind: "compute"; evaluate: Evaluator };

function error(code: number, message: string, stage = "$project"): StoreError {
  return new StoreError(code, `Invalid ${stage} :: caused by :: ${message}`);
}

/** @throws StoreError for empty names and names with a dollar */
function partsOf(prefix: readonly string[], name: string, stage?: string): string[] {
  const parts = [...prefix, ...name.split(".")];
  for (const part of parts) {
    if (part === "") throw error(15998, "FieldPath field names may not be empty strings.", stage);
    if (part.startsWith("$"))
      throw error(16410, "FieldPath field names may not start with '$'. Consider using $getField or $setField.", stage);
  }
  return parts;
}

/**
 * Compiles a projection of a find or of `$project`.
 * @throws StoreError with the codes of MongoDB's projection parser
 */
export function compileProjection(spec: Doc, options: ProjectionOptions): Projection {
  const tree: Tree = new Map();
  const found = { includes: false, excludes: false, isInclusive: false };
  let isIdExcluded = false;
  if (spec.size === 0 && !options.isFind) throw error(51272, "projection specification must have at least one field");
  const visit = (doc: Doc, prefix: string[]): void => {
    for (const [name, value] of doc) {
      const parts = partsOf(prefix, name);
      if (isDoc(value) && !isExpression(value)) {
        if (value.size === 0)
          throw error(
            51270,
            `An empty sub-projection is not a valid value. Found empty object at path: ${parts.join(".")}`,
          );
        visit(value, parts);
        continue;
      }
      const isId = parts.length === 1 && parts[0] === "_id";
      const leaf = leafOf(value, options.variables);
      if (leaf.kind === "exclude") {
        if (isId) isIdExcluded = true;
        else found.excludes = true;
      } else if (isId && leaf.kind === "include") found.isInclusive = true;
      else found.includes = true;
      if (found.includes && found.excludes) {
        const isInclusion = leaf.kind !== "exclude";
        throw error(
          isInclusion ? 31253 : 31254,
          `Cannot do ${isInclusion ? "inclusion" : "exclusion"} on field ${parts.join(".")} in ${isInclusion ? "exclusion" : "inclusion"} projection`,
        );
      }
      insert(tree, parts, leaf);
    }
  };
  visit(spec, []);
  // `_id: 1` alone makes an inclusion; beside exclusions it changes nothing.
  const isInclusive = found.includes || (found.isInclusive && !found.excludes);
  if (isInclusive && !isIdExcluded && !tree.has("_id")) tree.set("_id", { kind: "include" });
  const usesWholeDoc = !isInclusive || [...tree.values()].some(hasComputed);
  return {
    fields: usesWholeDoc ? undefined : new Set(tree.keys()),
    apply: (doc) => project(doc, tree, isInclusive, { root: doc, scope: options.variables.scope }),
  };
}

function isExpression(value: Doc): boolean {
  return value.keys().next().value?.startsWith("$") === true;
}

function leafOf(value: Value, variables: Variables): Leaf {
  if (typeof value === "boolean" || isNumber(value)) return isTruthy(value) ? { kind: "include" } : { kind: "exclude" };
  return { kind: "compute", evaluate: compileExpression(value, variables) };
}

function insert(tree: Tree, parts: string[], leaf: Leaf): void {
  let here = tree;
  for (const part of parts.slice(0, -1)) {
    const next = here.get(part);
    if (next !== undefined && !(next instanceof Map))
      throw error(31249, `Path collision at ${parts.join(".")} remaining portion ${parts.at(-1) ?? ""}`);
    const inner: Tree = next ?? new Map();
    here.set(part, inner);
    here = inner;
  }
  const last = parts.at(-1) as string;
  if (here.has(last)) throw error(31250, `Path collision at ${parts.join(".")}`);
  here.set(last, leaf);
}

function project(doc: Doc, tree: Tree, isInclusive: boolean, env: Env): Doc {
  const result: Doc = new Map();
  for (const [name, value] of doc) {
    const node = tree.get(name);
    if (node === undefined) {
      if (!isInclusive) result.set(name, value);
    } else if (node instanceof Map) {
      const inner = projectInto(value, node, isInclusive, env);
      if (inner !== undefined) result.set(name, inner);
    } else if (node.kind === "include") result.set(name, value);
  }
  for (const [name, node] of tree) {
    if (node instanceof Map) {
      if (!result.has(name) && hasComputed(node)) result.set(name, project(new Map(), node, isInclusive, env));
    } else if (node.kind === "compute") {
      const value = node.evaluate(env);
      if (value !== undefined) result.set(name, value);
      else result.delete(name);
    }
  }
  return result;
}

function hasComputed(node: Tree | Leaf): boolean {
  return node instanceof Map ? [...node.values()].some(hasComputed) : node.kind === "compute";
}

function projectInto(value: Value, tree: Tree, isInclusive: boolean, env: Env): Value | undefined {
  if (isDoc(value)) return project(value, tree, isInclusive, env);
  if (Array.isArray(value)) {
    const items: Value[] = [];
    for (const item of value) {
      const kept = projectInto(item, tree, isInclusive, env);
      if (kept !== undefined) items.push(kept);
    }
    return items;
  }
  if (hasComputed(tree)) return project(new Map(), tree, isInclusive, env);
  return isInclusive ? undefined : value;
}

/** Compiles `$addFields` and `$set`: computed fields in addition to existing ones. */
export function compileAddFields(spec: Doc, variables: Variables): (doc: Doc) => Doc {
  const tree: Tree = new Map();
  const visit = (doc: Doc, prefix: string[]): void => {
    for (const [name, value] of doc) {
      const parts = partsOf(prefix, name, "$addFields");
      if (isDoc(value) && !isExpression(value)) {
        if (value.size === 0) insert(tree, parts, { kind: "compute", evaluate: () => new Map() });
        else visit(value, parts);
      } else insert(tree, parts, { kind: "compute", evaluate: compileExpression(value, variables) });
    }
  };
  visit(spec, []);
  return (doc) => addTo(doc, tree, { root: doc, scope: variables.scope });
}

function addTo(doc: Doc, tree: Tree, env: Env): Doc {
  const result: Doc = new Map(doc);
  for (const [name, node] of tree) {
    if (node instanceof Map) result.set(name, addInto(result.get(name), node, env));
    else if (node.kind === "compute") {
      const value = node.evaluate(env);
      if (value === undefined) result.delete(name);
      else result.set(name, value);
    }
  }
  return result;
}

function addInto(value: Value | undefined, tree: Tree, env: Env): Value {
  if (Array.isArray(value)) return value.map((item) => addInto(item, tree, env));
  return addTo(isDoc(value) ? value : new Map(), tree, env);
}

/** Compiles the aggregation's `$unset`: a projection that omits the paths. */
export function compileUnset(paths: readonly string[], variables: Variables): (doc: Doc) => Doc {
  return compileProjection(docOf(Object.fromEntries(paths.map((path) => [path, 0]))), { variables, isFind: false })
    .apply;
}
