/** Maximum characters of a path: responses of services are a few levels deep. */
const PATH_CHARS_MAX = 500;
const STEP = /(?:^|\.)([^.[\]"']+)|\[(\d{1,9})\]|\["((?:[^"\\]|\\.)*)"\]|\['((?:[^'\\]|\\.)*)'\]/y;

/** A path within a response: `data.items`, `pages[0].rows`, `["a.b"].c`; `$` or nothing is the whole. */
export type JsonPath = readonly (string | number)[];

/** Parses a path. @returns null for a text that is not a path */
export function parseJsonPath(text: string): JsonPath | null {
  if (text.length > PATH_CHARS_MAX) return null;
  const rest = text.replace(/^\$(?=$|[.[])/, "").replace(/^\./, "");
  const steps: (string | number)[] = [];
  STEP.lastIndex = 0;
  while (STEP.lastIndex < rest.length) {
    const [, name, index, double, single] = STEP.exec(rest) ?? [];
    const quoted = double ?? single;
    if (index !== undefined) steps.push(Number(index));
    else if (quoted !== undefined) steps.push(quoted.replace(/\\(.)/g, "$1"));
    else if (name !== undefined) steps.push(name);
    else return null;
  }
  return steps;
}

/** Returns the value at a path; undefined where it leads nowhere. Only own properties are found. */
export function readJsonPath(value: unknown, path: JsonPath): unknown {
  let at: unknown = value;
  for (const step of path) {
    if (typeof at !== "object" || at === null) return undefined;
    if (Array.isArray(at) ? !/^\d+$/.test(String(step)) : !Object.hasOwn(at, step)) return undefined;
    at = (at as Record<string | number, unknown>)[step];
  }
  return at;
}
