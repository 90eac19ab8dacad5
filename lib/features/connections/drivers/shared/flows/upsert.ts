import type { Target } from "./sql-load";

/** Quotes a name as PostgreSQL, DuckDB and SQLite read it. */
export function quote(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

export function namesOf(columns: Target["columns"]): string {
  return columns.map(({ name }) => quote(name)).join(", ");
}

/** Returns the clause that replaces rows with the same key; empty without a key. */
export function onConflict(columns: Target["columns"], key: readonly string[]): string {
  if (key.length === 0) return "";
  const others = columns.map(({ name }) => quote(name)).filter((name) => !key.includes(name));
  const action =
    others.length === 0 ? "nothing" : `update set ${others.map((name) => `${name} = excluded.${name}`).join(", ")}`;
  return `on conflict (${key.join(", ")}) do ${action}`;
}
