import { getPath } from "../bson/paths.ts";
import { type Doc, isDoc } from "../bson/values.ts";
import type { Variables } from "../expressions/scope.ts";
import { compileMatch, parseMatch } from "../query/match.ts";

/**
 * Returns the array position for the positional `$`: the first element that the filter's condition on the array
 * matches. Only conditions at the filter's top level count.
 */
export function matchedPosition(
  filter: Doc,
  variables: Variables,
): (doc: Doc, path: readonly string[]) => number | undefined {
  return (doc, path) => {
    const list = getPath(doc, path);
    if (!Array.isArray(list)) return undefined;
    const array = path.join(".");
    for (const [name, condition] of filter) {
      if (name !== array && !name.startsWith(`${array}.`)) continue;
      const ofElement = name === array ? "v" : name.slice(array.length + 1);
      const test = compileMatch(parseMatch(new Map([[ofElement, condition]]), { variables }), variables);
      const position = list.findIndex((item) =>
        name === array ? test(new Map([["v", item]])) : isDoc(item) && test(item),
      );
      if (position >= 0) return position;
    }
    return undefined;
  };
}
