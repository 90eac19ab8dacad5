/** The query string of a page's own address, so that a link to a run or a save leads there after signing in too. */
export function toSearch(params: Record<string, string | string[] | undefined>): string {
  const pairs = Object.entries(params).flatMap(([name, value]) => [value ?? []].flat().map((each) => [name, each]));
  return pairs.length === 0 ? "" : `?${new URLSearchParams(pairs)}`;
}
