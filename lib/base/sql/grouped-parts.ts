/** A statement with columns `keys` and those of its aggregates, one row per group. */
export type GroupedPart = { columns: readonly { name: string; isCount: boolean }[] };

/**
 * Returns the statement that puts grouped parts together by their keys. Part n is the table `<prefix><n>`; each is one branch,
 * in which the columns of the others are null in their own types. A count without rows is 0.
 * @param prefix as `toPartPrefix` returns it
 */
export function toCombinedParts(parts: readonly GroupedPart[], keys: readonly string[], prefix: string): string {
  const branches = parts.map((part, at) => {
    const columns = parts.flatMap((other, index) =>
      other.columns.map(({ name }) =>
        other === part ? name : `(select ${name} from ${prefix}${index + 1} where 1 = 0) as ${name}`,
      ),
    );
    return `select ${[...keys, ...columns].join(", ")} from ${prefix}${at + 1}`;
  });
  const columns = parts.flatMap((part) =>
    part.columns.map(({ name, isCount }) =>
      isCount ? `coalesce(max(${name}), 0) as ${name}` : `max(${name}) as ${name}`,
    ),
  );
  const grouped = keys.length === 0 ? "" : `\ngroup by ${keys.join(", ")}`;
  return `select ${[...keys, ...columns].join(", ")}\nfrom (\n${branches.join("\nunion all\n")}\n) as u${grouped}`;
}

/**
 * Returns a name for the tables of parts, without their number, that no table of their statement has.
 * @param tables names of the tables that parts read
 */
export function toPartPrefix(tables: readonly string[]): string {
  let prefix = "m";
  const names = tables.map((name) => name.toLowerCase());
  while (names.some((name) => name.startsWith(prefix) && /^\d*$/.test(name.slice(prefix.length)))) prefix += "_";
  return prefix;
}
