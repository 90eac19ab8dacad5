/** Returns the widgets of a page that clicks on a widget do not filter, by its settings. */
export function readExclusions(spec: Readonly<Record<string, unknown>>, others: readonly { id: string }[]): string[] {
  if (!Array.isArray(spec.exclude)) return [];
  return spec.exclude.filter((each) => others.some(({ id }) => id === each));
}

/** Returns a list with or without an id. An added one comes last. */
export function withMember(ids: readonly string[], id: string, isMember: boolean): string[] {
  const others = ids.filter((each) => each !== id);
  return isMember ? [...others, id] : others;
}
