import { type Document, isMap, isScalar, type ParsedNode, parseDocument, visit } from "yaml";
import type { z } from "zod";
import { toPathText } from "../values/problem-path.ts";

/** An error of a YAML text. `line` is 1-based within the text; null if no single line is the cause. */
export type YamlError = { error: string; line: number | null };

/** A parsed map, with the line of each of its values: null for a missing one. */
export type YamlMap = { value: unknown; lineAt: (path: readonly PropertyKey[]) => number | null };

type Options = {
  /** Changes the parsed nodes before they become values. */
  prepare?: (doc: Document.Parsed) => void;
  /** The error for a text that is not a map. */
  notAMap: string;
};

/** Maximum number of levels. The parser is recursive, and takes seconds for 100,000; charts have about ten. */
const LEVELS_MAX = 100;
/** Lists and keys that open levels in one line. */
const INLINE_LEVELS = new RegExp(`(?:[-?:][ \\t]+){${LEVELS_MAX}}`);

/** Parses a map. Aliases are refused, since they can expand a page of text into gigabytes. */
export function openYaml(yaml: string, { prepare, notAMap }: Options): YamlMap | YamlError {
  const lineOf = lineFinder(yaml);
  const deep = tooDeepAt(yaml);
  if (deep !== null) return { error: `Invalid YAML: more than ${LEVELS_MAX} levels.`, line: lineOf(deep) };
  let doc: Document.Parsed;
  let repeated: ParsedNode | null = null;
  try {
    // The parser compares each key with all before it.
    doc = parseDocument(yaml, { prettyErrors: false, logLevel: "silent", uniqueKeys: false, merge: false });
    repeated = findRepeatedKey(doc);
  } catch (error) {
    // The parser is recursive.
    if (error instanceof RangeError) return { error: "Invalid YAML: too many levels.", line: null };
    throw error;
  }
  const [problem] = [...doc.errors, ...doc.warnings];
  if (problem) return { error: `Invalid YAML: ${problem.message}`, line: lineOf(problem.pos[0]) };
  if (repeated) return { error: "Invalid YAML: Map keys must be unique", line: lineOf(repeated.range[0]) };
  if (!isMap(doc.contents)) return { error: notAMap, line: 1 };
  prepare?.(doc);
  try {
    return { value: doc.toJS({ maxAliasCount: 0 }), lineAt: (path) => lineOf(placeOf(doc, path)) };
  } catch {
    return { error: "YAML anchors and aliases are not supported. Repeat the values.", line: 1 };
  }
}

/** Returns the offset of a bracket or list below the maximum level; null if there is none. */
function tooDeepAt(yaml: string): number | null {
  let level = 0;
  for (const { 0: bracket, index } of yaml.matchAll(/[[\]{}]/g)) {
    level = bracket === "[" || bracket === "{" ? level + 1 : Math.max(0, level - 1);
    if (level > LEVELS_MAX) return index;
  }
  const inline = yaml.search(INLINE_LEVELS);
  return inline === -1 ? null : inline;
}

/** Returns the first key that its map already has, as a property's name. */
function findRepeatedKey(doc: Document.Parsed): ParsedNode | null {
  let repeated: ParsedNode | null = null;
  visit(doc, {
    Map(_, { items }) {
      const names = new Set<string>();
      for (const { key } of items) {
        if (!isScalar(key)) continue;
        const name = String(key.value);
        if (names.has(name)) {
          repeated = key as ParsedNode;
          return visit.BREAK;
        }
        names.add(name);
      }
    },
  });
  return repeated;
}

/** Parses a map and validates it. */
export function readYaml<T extends z.ZodObject>(
  yaml: string,
  schema: T,
  options: Options,
): { value: z.infer<T> } | YamlError {
  const map = openYaml(yaml, options);
  if ("error" in map) return map;
  const { value, lineAt } = map;
  const outcome = schema.safeParse(value);
  if (outcome.success) return { value: outcome.data };
  const [issue] = outcome.error.issues;
  if (issue?.code === "unrecognized_keys") {
    const known = keysAt(schema, issue.path).join(", ");
    return {
      error: `“${toPathText([...issue.path, issue.keys[0] ?? ""])}” is unknown. Allowed: ${known}.`,
      line: lineAt([...issue.path, issue.keys[0] ?? ""]),
    };
  }
  const at = toPathText(issue?.path ?? []);
  const words = issue?.message ?? "Invalid value.";
  return { error: at === "" ? words : `${at}: ${words}`, line: lineAt(issue?.path ?? []) };
}

/** Returns a function for the 1-based line of an offset; callers may ask for thousands. */
function lineFinder(text: string): (offset: number | undefined) => number | null {
  let ends: number[] | null = null;
  return (offset) => {
    if (offset === undefined) return null;
    ends ??= Array.from(text.matchAll(/\n/g), ({ index }) => index);
    let [low, high] = [0, ends.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((ends[middle] ?? 0) < offset) low = middle + 1;
      else high = middle;
    }
    return low + 1;
  };
}

/** Returns the keys of the map at a path. Reads schemas by their properties: a browser loads this without them. */
function keysAt(schema: z.ZodObject, path: readonly PropertyKey[]): string[] {
  let at: unknown = schema;
  for (const key of [...path, null]) {
    while (isObject(at) && typeof at.unwrap === "function") at = at.unwrap();
    if (!isObject(at) || !isObject(at.shape)) return [];
    if (key === null) return Object.keys(at.shape);
    at = at.shape[String(key)];
  }
  return [];
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

/** Returns the offset at which a value begins; undefined if the value is missing. */
function placeOf(doc: Document.Parsed, path: readonly PropertyKey[]): number | undefined {
  const node = doc.getIn(path, true) as ParsedNode | undefined;
  return node?.range?.[0];
}
