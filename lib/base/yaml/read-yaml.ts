import { type Document, isMap, type ParsedNode, parseDocument } from "yaml";
import type { z } from "zod";

/** An error of a YAML text. `line` is 1-based within the text; null if no single line is the cause. */
export type YamlError = { error: string; line: number | null };

/**
 * Parses a map and validates it. Aliases are refused, since they can expand a page of text into gigabytes.
 * @param options.prepare changes the parsed nodes before they become values
 * @param options.notAMap the error for a text that is not a map
 */
export function readYaml<T extends z.ZodObject>(
  yaml: string,
  schema: T,
  { prepare, notAMap }: { prepare?: (doc: Document.Parsed) => void; notAMap: string },
): { value: z.infer<T> } | YamlError {
  const lineOf = (offset: number | undefined) =>
    offset === undefined ? null : yaml.slice(0, offset).split("\n").length;
  let doc: Document.Parsed;
  let value: unknown;
  try {
    doc = parseDocument(yaml, { prettyErrors: false, logLevel: "silent", uniqueKeys: true, merge: false });
  } catch (error) {
    // The parser is recursive.
    if (error instanceof RangeError) return { error: "Invalid YAML: too many levels.", line: null };
    throw error;
  }
  const [problem] = [...doc.errors, ...doc.warnings];
  if (problem) return { error: `Invalid YAML: ${problem.message}`, line: lineOf(problem.pos[0]) };
  if (!isMap(doc.contents)) return { error: notAMap, line: 1 };
  prepare?.(doc);
  try {
    value = doc.toJS({ maxAliasCount: 0 });
  } catch {
    return { error: "YAML anchors and aliases are not supported. Repeat the values.", line: 1 };
  }
  const outcome = schema.safeParse(value);
  if (outcome.success) return { value: outcome.data };
  const [issue] = outcome.error.issues;
  if (issue?.code === "unrecognized_keys") {
    const known = keysAt(schema, issue.path).join(", ");
    const place = placeOf(doc, [...issue.path, issue.keys[0] ?? ""]);
    return {
      error: `“${[...issue.path, issue.keys[0]].join(".")}” is unknown. Allowed: ${known}.`,
      line: lineOf(place),
    };
  }
  const at = issue?.path.join(".") ?? "";
  const inner = issue?.code === "invalid_key" ? issue.issues[0] : issue;
  const words = inner?.message ?? "Invalid value.";
  return { error: at === "" ? words : `${at}: ${words}`, line: lineOf(placeOf(doc, issue?.path ?? [])) };
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
