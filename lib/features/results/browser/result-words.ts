import type { SqlDialect } from "@/lib/base/sql/dialects";
import { type ChangeVerb, changeVerbOf } from "@/lib/base/sql/statement-kind";
import { formatCount, formatRows } from "@/lib/platform/browser/format";

const PARTICIPLES: Readonly<Record<ChangeVerb, string>> = {
  insert: "inserted",
  update: "updated",
  delete: "deleted",
  merge: "merged",
  replace: "replaced",
};
const MONGO_VERB = /\.(insert|update|replace|delete)(?:One|Many)\s*\(/;

/** Returns the participle for the rows that a statement changed, "changed" where its text does not tell. */
export function toChangeWord(query: string | null, dialect: SqlDialect | null = null): string {
  if (query === null) return "changed";
  const verb = changeVerbOf(query, dialect ?? "standard") ?? (MONGO_VERB.exec(query)?.[1] as ChangeVerb | undefined);
  return verb ? PARTICIPLES[verb] : "changed";
}

type Counts = { rowCount: number | null; affectedRows?: number | null };

/** Returns the outcome of a statement: "150,003 rows deleted", "5 rows". Null where the number of rows is unknown. */
export function toOutcomeWords({ rowCount, affectedRows }: Counts, query: string | null): string | null {
  if (affectedRows != null) return `${formatRows(affectedRows)} ${toChangeWord(query)}`;
  return rowCount === null ? null : formatRows(rowCount);
}

type Outcome = { answer: { rowCount: number; affectedRows: number | null }; text: string };

/** Returns the outcome of several statements: rows that were changed, then rows that were returned. */
export function toTotalWords(outcomes: readonly Outcome[]): string {
  const changes = outcomes.filter(({ answer }) => answer.affectedRows !== null);
  const rows = outcomes.reduce((sum, { answer }) => sum + (answer.affectedRows === null ? answer.rowCount : 0), 0);
  if (changes.length === 0) return formatRows(rows);
  const changed = changes.reduce((sum, { answer }) => sum + (answer.affectedRows ?? 0), 0);
  const words = new Set(changes.map(({ text }) => toChangeWord(text)));
  const [word = "changed"] = words.size === 1 ? words : [];
  const change = `${formatRows(changed)} ${word}`;
  return rows === 0 ? change : `${change}, ${formatRows(rows)}`;
}

/** Returns how many of a statement's results are shown. Of a kept statement only the first is. */
export function toListedWords(listed: number, total: number, isKept: boolean): string {
  const first = listed === 1 ? "The first" : `The first ${formatCount(listed)}`;
  const verb = listed === 1 ? "is" : "are";
  if (isKept)
    return `${first} of ${formatCount(total)} results ${verb} kept. Run the statement again to see the others.`;
  const omitted = total - listed;
  const others = omitted === 1 ? "The last one is" : `The other ${formatCount(omitted)} are`;
  return `${first} of ${formatCount(total)} results ${verb} shown. ${others} left out.`;
}
