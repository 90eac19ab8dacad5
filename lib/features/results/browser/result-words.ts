import type { SqlDialect } from "@/lib/base/sql/dialects";
import { type ChangeVerb, changeVerbOf } from "@/lib/base/sql/statement-kind";
import { formatRows } from "@/lib/platform/browser/format";

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
