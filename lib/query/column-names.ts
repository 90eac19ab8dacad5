/**
 * Names under which the columns of a result can be keys of one object (docs/api.md, Queries): the first of equal names
 * keeps it, further ones are numbered `id_2`, `id_3`, and a number is never one that a later column has of its own.
 * A column without a name is called by its place, `column_1`.
 */
export function uniqueColumnNames(names: readonly string[]): string[] {
  const given = new Set(names);
  const used = new Set<string>();
  return names.map((name, index) => {
    const base = name === "" ? `column_${index + 1}` : name;
    let unique = base;
    const isTaken = (candidate: string) => used.has(candidate) || (candidate !== name && given.has(candidate));
    for (let count = 2; isTaken(unique); count += 1) unique = `${base}_${count}`;
    used.add(unique);
    return unique;
  });
}
