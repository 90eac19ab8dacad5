/** Label for paths whose parameters cannot be told from their fixed parts. */
const OTHER = "other";

/**
 * Returns the path of a route as in the reference, `/api/workspaces/{workspaceId}/flows`, so that requests are counted
 * by a bounded number of labels.
 * @param params the parameters that the framework found in the address
 */
export function toRoutePath(url: string, params: unknown): string {
  const values = Object.entries((params ?? {}) as Record<string, string | string[]>).flatMap(([name, value]) =>
    [value].flat().map((each) => ({ name, value: decode(each) })),
  );
  const segments = new URL(url).pathname.split("/").filter(Boolean);
  const named = segments.map((segment) => {
    const found = values.findIndex(({ value }) => value === decode(segment));
    return found < 0 ? segment : `{${values.splice(found, 1)[0]?.name}}`;
  });
  // A parameter of many segments becomes one label. If a parameter is left over, its value matches a segment that looks
  // fixed.
  return values.length > 0
    ? OTHER
    : `/${named.filter((name, index) => name !== named[index - 1] || !name.startsWith("{")).join("/")}`;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
