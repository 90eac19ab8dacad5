/** Returns the query string of a page's address, so that a link to a run or a save also works after signing in. */
export function toSearch(params: Record<string, string | string[] | undefined>): string {
  const pairs = Object.entries(params).flatMap(([name, value]) => [value ?? []].flat().map((each) => [name, each]));
  return pairs.length === 0 ? "" : `?${new URLSearchParams(pairs)}`;
}
