/**
 * Returns names under which the columns of a result can be keys of one object (docs/develop/api.md, Queries): the first of equal
 * names keeps it, further ones are numbered `id_2`, `id_3`, and a number never makes a name that another column has of
 * its own. A column without a name is called by its position, `column_1`. Takes time in proportion to the columns.
 */
export function uniqueColumnNames(names: readonly string[]): string[] {
  const given = new Set(names);
  const used = new Set<string>();
  // The number to try next, by base name: without it the n-th of equal names tries n numbers.
  const nextCounts = new Map<string, number>();
  return names.map((name, index) => {
    const base = name === "" ? `column_${index + 1}` : name;
    const isTaken = (candidate: string) => used.has(candidate) || (candidate !== name && given.has(candidate));
    let unique = base;
    if (isTaken(base)) {
      let count = nextCounts.get(base) ?? 2;
      while (isTaken(`${base}_${count}`)) count += 1;
      nextCounts.set(base, count + 1);
      unique = `${base}_${count}`;
    }
    used.add(unique);
    return unique;
  });
}
