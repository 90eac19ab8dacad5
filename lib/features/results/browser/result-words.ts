import type { SqlDialect } from "@/lib/base/sql/dialects/registry";
import { type ChangeVerb, changeVerbOf } from "@/lib/base/sql/statement-kind";
import { formatCount, formatCountOf } from "@/lib/platform/browser/format";

const PARTICIPLES: Readonly<Record<ChangeVerb, string>> = {
  insert: "inserted",
  update: "updated",
  delete: "deleted",
  merge: "merged",
  replace: "replaced",
};
const MONGO_VERB = /\.(insert|update|replace|delete)(?:One|Many)\s*\(/;

/** Returns the participle for the rows that a statement changed, "changed" for an unknown statement. */
export function toChangeWord(query: string | null, dialect: SqlDialect | null = null): string {
  const verb = toVerb(query, dialect);
  return verb ? PARTICIPLES[verb] : "changed";
}

function toVerb(query: string | null, dialect: SqlDialect | null = null): ChangeVerb | null {
  if (query === null) return null;
  return changeVerbOf(query, dialect ?? "standard") ?? (MONGO_VERB.exec(query)?.[1] as ChangeVerb | undefined) ?? null;
}

type Counts = { rowCount: number | null; affectedRows?: number | null; fields?: readonly unknown[] };

/**
 * Returns the numbers of rows that a statement returned and changed; null for a meaningless count. A procedure that
 * returns rows also reports 0 changed rows.
 */
export function toRowCounts(counts: Counts, query: string | null): { rows: number | null; changed: number | null } {
  const { rowCount, affectedRows = null, fields = [] } = counts;
  if (affectedRows === null) return { rows: rowCount, changed: null };
  const returnsRows = fields.length > 0 || (rowCount ?? 0) > 0;
  if (!returnsRows || query === null || toVerb(query) !== null) return { rows: null, changed: affectedRows };
  return { rows: rowCount, changed: affectedRows === 0 ? null : affectedRows };
}

/** Returns the outcome of a statement: "150,003 rows deleted", "5 rows". Null where the number of rows is unknown. */
export function toOutcomeWords(counts: Counts, query: string | null): string | null {
  const { rows, changed } = toRowCounts(counts, query);
  const words = [
    ...(changed === null ? [] : [`${formatCountOf(changed, "row")} ${toChangeWord(query)}`]),
    ...(rows === null ? [] : [formatCountOf(rows, "row")]),
  ];
  return words.length === 0 ? null : words.join(", ");
}

type Outcome = { answer: Counts & { rowCount: number; affectedRows: number | null }; text: string };

/** Returns the outcome of several statements: rows that were changed, then rows that were returned. */
export function toTotalWords(outcomes: readonly Outcome[]): string {
  const counts = outcomes.map(({ answer, text }) => ({ ...toRowCounts(answer, text), text }));
  const changes = counts.filter(({ changed }) => changed !== null);
  const rows = counts.reduce((sum, each) => sum + (each.rows ?? 0), 0);
  if (changes.length === 0) return formatCountOf(rows, "row");
  const changed = changes.reduce((sum, each) => sum + (each.changed ?? 0), 0);
  const words = new Set(changes.map(({ text }) => toChangeWord(text)));
  const [word = "changed"] = words.size === 1 ? words : [];
  const change = `${formatCountOf(changed, "row")} ${word}`;
  return rows === 0 ? change : `${change}, ${formatCountOf(rows, "row")}`;
}

/** Returns the notice of how many of a statement's results are shown. Of a stored result only the first is. */
export function toListedWords(listed: number, total: number, isKept: boolean): string {
  const first = listed === 1 ? "first" : `first ${formatCount(listed)}`;
  const shown = `Showing the ${first} of ${formatCount(total)} results.`;
  return isKept ? `${shown} Run the statement again to see the others.` : shown;
}
