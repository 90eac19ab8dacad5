import { someAtPath } from "../bson/paths.ts";
import { type Doc, docOf, isDoc, isNumber, isTruthy, toWholeNumber, type Value } from "../bson/values.ts";
import { StoreError } from "../errors.ts";
import { compileExpression } from "../expressions/compile.ts";
import type { Env, Evaluator, Variables } from "../expressions/scope.ts";
import { compileMatch, type Matcher, parseMatch } from "./match.ts";

export type Projection = {
  apply: (doc: Doc) => Doc;
  /** Top-level fields that the answer needs; undefined when it may need any. */
  fields: ReadonlySet<string> | undefined;
};

type ProjectionOptions = {
  variables: Variables;
  /**
   * True for a find's projection, which supports $slice, $elemMatch and the positional `$`; an aggregation's does not.
   */
  isFind: boolean;
  /** Finds the position for the positional `$` by the find's filter. */
  position?: (doc: Doc, path: readonly string[]) => number | undefined;
};

type Tree = Map<string, Tree | Leaf>;
type Leaf =
  | { kind: "include" }
  | { kind: "exclude" }
  | { kind: "compute"; evaluate: Evaluator }
  | { kind: "slice"; skip: number; limit: number }
  | { kind: "element"; test: Matcher }
  | { kind: "position"; path: readonly string[] };

function error(code: number, message: string): StoreError {
  return new StoreError(code, `Invalid $project :: caused by :: ${message}`);
}

/**
 * Compiles a projection of a find or of `$project`.
 * @throws StoreError with the codes of MongoDB's projection parser
 */
export function compileProjection(spec: Doc, options: ProjectionOptions): Projection {
  const tree: Tree = new Map();
  const found = { includes: false, excludes: false, isInclusive: false };
  let isIdExcluded = false;
  let hasElement = false;
  if (spec.size === 0 && !options.isFind)
    throw new StoreError(
      51272,
      "Invalid $project :: caused by :: projection specification must have at least one field",
    );
  const visit = (doc: Doc, prefix: string[], isNested: boolean): void => {
    for (const [name, value] of doc) {
      const isPositional = options.isFind && name.endsWith(".$");
      const parts = [...prefix, ...(isPositional ? name.slice(0, -2) : name).split(".")];
      for (const part of parts) {
        if (part === "") throw error(15998, "FieldPath field names may not be empty strings.");
        if (part.startsWith("$"))
          throw error(
            isNested ? 16410 : 16410,
            "FieldPath field names may not start with '$'. Consider using $getField or $setField.",
          );
      }
      if (isDoc(value) && !isExpression(value)) {
        if (value.size === 0)
          throw error(
            51270,
            `An empty sub-projection is not a valid value. Found empty object at path: ${parts.join(".")}`,
          );
        visit(value, parts, true);
        continue;
      }
      const isId = parts.length === 1 && parts[0] === "_id";
      const leaf = isPositional ? ({ kind: "position", path: parts } satisfies Leaf) : leafOf(value, options);
      if (leaf.kind === "element") hasElement = true;
      if (leaf.kind === "exclude") {
        if (isId) isIdExcluded = true;
        else found.excludes = true;
      } else if (leaf.kind === "include" || leaf.kind === "compute" || leaf.kind === "position") {
        if (!isId) found.includes = true;
        else if (leaf.kind === "include") found.isInclusive = true;
        else found.includes = true;
      }
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
  visit(spec, [], false);
  // `_id: 1` alone makes an inclusion; beside exclusions it changes nothing. $elemMatch alone makes an inclusion too;
  // $slice alone keeps the other fields unchanged.
  const isInclusive = found.includes || ((found.isInclusive || hasElement) && !found.excludes);
  if (isInclusive && !isIdExcluded && !tree.has("_id")) tree.set("_id", { kind: "include" });
  const usesWholeDoc = !isInclusive || [...tree.values()].some((node) => needsWholeDoc(node));
  return {
    fields: usesWholeDoc ? undefined : new Set(tree.keys()),
    apply: (doc) =>
      project(doc, tree, isInclusive, { root: doc, current: doc, scope: options.variables.scope }, options),
  };
}

function needsWholeDoc(node: Tree | Leaf): boolean {
  return node instanceof Map
    ? [...node.values()].some(needsWholeDoc)
    : node.kind === "compute" || node.kind === "position";
}

function isExpression(value: Doc): boolean {
  return value.keys().next().value?.startsWith("$") === true;
}

function leafOf(value: Value, options: ProjectionOptions): Leaf {
  if (typeof value === "boolean" || isNumber(value)) return isTruthy(value) ? { kind: "include" } : { kind: "exclude" };
  if (options.isFind && isDoc(value)) {
    const slice = value.get("$slice");
    const element = value.get("$elemMatch");
    // With an array of two arrays or paths it is the aggregation's $slice; numbers are the find's.
    if (
      slice !== undefined &&
      (isNumber(slice) || (Array.isArray(slice) && slice.length === 2 && slice.every((n) => isNumber(n))))
    ) {
      return sliceLeaf(slice);
    }
    if (element !== undefined) {
      if (!isDoc(element))
        throw new StoreError("BadValue", "elemMatch: Invalid argument, object required, but got something else");
      return { kind: "element", test: compileElement(element, options.variables) };
    }
  }
  return { kind: "compute", evaluate: compileExpression(value, options.variables) };
}

function compileElement(element: Doc, variables: Variables): Matcher {
  const node = parseMatch(new Map([["v", docOf({ $elemMatch: element })]]), { variables, allowExpressions: false });
  const test = compileMatch(node, variables);
  return (item) => test(item);
}

function sliceLeaf(slice: Value): Leaf {
  const [first, second] = (Array.isArray(slice) ? slice : [slice]).map(toWholeNumber);
  if (first === undefined) throw new StoreError(28724, "First argument to $slice must be an integer");
  if (!Array.isArray(slice)) return { kind: "slice", skip: Math.min(first, 0), limit: Math.abs(first) };
  if (second === undefined || second <= 0) throw new StoreError(28724, "Second argument to $slice must be positive");
  return { kind: "slice", skip: first, limit: second };
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

function project(doc: Doc, tree: Tree, isInclusive: boolean, env: Env, options: ProjectionOptions): Doc {
  const result: Doc = new Map();
  for (const [name, value] of doc) {
    const node = tree.get(name);
    if (node === undefined) {
      if (!isInclusive) result.set(name, value);
    } else if (node instanceof Map) {
      const inner = projectInto(value, node, isInclusive, env, options);
      if (inner !== undefined) result.set(name, inner);
    } else if (node.kind !== "compute") {
      const kept = projectLeaf(value, node, env, options);
      if (kept !== undefined) result.set(name, kept);
    }
  }
  for (const [name, node] of tree) {
    if (node instanceof Map) {
      if (!result.has(name) && hasComputed(node)) result.set(name, project(new Map(), node, isInclusive, env, options));
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

function projectInto(
  value: Value,
  tree: Tree,
  isInclusive: boolean,
  env: Env,
  options: ProjectionOptions,
): Value | undefined {
  if (isDoc(value)) return project(value, tree, isInclusive, env, options);
  if (Array.isArray(value)) {
    const items: Value[] = [];
    for (const item of value) {
      const kept = projectInto(item, tree, isInclusive, env, options);
      if (kept !== undefined) items.push(kept);
    }
    return items;
  }
  if (hasComputed(tree)) return project(new Map(), tree, isInclusive, env, options);
  return isInclusive ? undefined : value;
}

function projectLeaf(
  value: Value,
  leaf: Exclude<Leaf, { kind: "compute" }>,
  env: Env,
  options: ProjectionOptions,
): Value | undefined {
  switch (leaf.kind) {
    case "include":
      return value;
    case "exclude":
      return undefined;
    case "slice": {
      if (!Array.isArray(value)) return value;
      const start = leaf.skip < 0 ? Math.max(0, value.length + leaf.skip) : leaf.skip;
      return value.slice(start, start + leaf.limit);
    }
    case "element": {
      if (!Array.isArray(value)) return undefined;
      const found = value.find((item) => leaf.test(new Map([["v", [item]]])));
      return found === undefined ? undefined : [found];
    }
    case "position": {
      if (!Array.isArray(value)) return value;
      const at = options.position?.(env.root, leaf.path);
      if (at === undefined || at >= value.length) {
        throw new StoreError(
          51246,
          "Executor error during find command :: caused by :: positional operator '.$' couldn't find a matching element in the array",
        );
      }
      return [value[at] as Value];
    }
  }
}

/** Compiles `$addFields` and `$set`: computed fields in addition to existing ones. */
export function compileAddFields(spec: Doc, variables: Variables): (doc: Doc) => Doc {
  const tree: Tree = new Map();
  const visit = (doc: Doc, prefix: string[]): void => {
    for (const [name, value] of doc) {
      const parts = [...prefix, ...name.split(".")];
      for (const part of parts) {
        if (part === "")
          throw new StoreError(
            40353,
            "Invalid $addFields :: caused by :: FieldPath field names may not be empty strings.",
          );
        if (part.startsWith("$"))
          throw new StoreError(
            16410,
            "Invalid $addFields :: caused by :: FieldPath field names may not start with '$'. Consider using $getField or $setField.",
          );
      }
      if (isDoc(value) && !isExpression(value)) {
        if (value.size === 0) insert(tree, parts, { kind: "compute", evaluate: () => new Map() });
        else visit(value, parts);
      } else insert(tree, parts, { kind: "compute", evaluate: compileExpression(value, variables) });
    }
  };
  visit(spec, []);
  return (doc) => addTo(doc, tree, { root: doc, current: doc, scope: variables.scope });
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

/**
 * Returns the array position that a filter matched, for the positional `$` of projections and updates: the first
 * matching element of the deepest array on a path of the filter.
 */
export function matchedPosition(
  filter: Doc,
  variables: Variables,
): (doc: Doc, path: readonly string[]) => number | undefined {
  return (doc, path) => {
    for (const [name, value] of filter) {
      const found = positionOf(doc, name, value, path, variables);
      if (found !== undefined) return found;
    }
    return undefined;
  };
}

function positionOf(
  doc: Doc,
  name: string,
  value: Value,
  path: readonly string[],
  variables: Variables,
): number | undefined {
  if (name === "$and" && Array.isArray(value)) {
    for (const part of value) {
      if (!isDoc(part)) continue;
      const found = matchedPosition(part, variables)(doc, path);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  if (name === "$or" && Array.isArray(value)) {
    for (const part of value) {
      if (!isDoc(part) || !compileMatch(parseMatch(part, { variables }), variables)(doc)) continue;
      const found = matchedPosition(part, variables)(doc, path);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  const text = path.join(".");
  if (name !== text && !name.startsWith(`${text}.`)) return undefined;
  let list: Value[] | undefined;
  someAtPath(doc, path, false, (item) => {
    if (Array.isArray(item)) list = item;
    return list !== undefined;
  });
  if (list === undefined) return undefined;
  const rest = name.slice(text.length + 1);
  const only: Value = rest === "" ? value : docOf({ $elemMatch: new Map([[rest, value]]) });
  const isElementMatch = isDoc(only) && only.has("$elemMatch");
  const test = compileMatch(parseMatch(new Map([["v", only]]), { variables }), variables);
  const position = list.findIndex((item) => test(new Map([["v", isElementMatch ? [item] : item]])));
  return position < 0 ? undefined : position;
}
