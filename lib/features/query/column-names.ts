/**
 * Returns unique names for the columns of a result, to use as keys of one object (docs/develop/api.md, Queries). The
 * first of equal names is unchanged; further ones become `id_2`, `id_3`, and so on, without colliding with other
 * columns. A column without a name is named by its position, `column_1`. Takes time in proportion to the number of
 * columns.
 */
export function uniqueColumnNames(names: readonly string[]): string[] {
  const given = new Set(names);
  const used = new Set<string>();
  // Next number to try, by base name: without it the n-th of equal names tries n numbers.
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
