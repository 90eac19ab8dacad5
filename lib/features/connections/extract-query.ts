import "server-only";
import type { ExtractBatch, ExtractStream, QueryableSource, Statement } from "./data-source";
import { regroup } from "./drivers/shared/flows/regroup";
import { EXTRACT_TIMEOUT_MS } from "./drivers/shared/flows/sql-extract";

/**
 * Reads the rows of a SQL query or an operation for a flow, through the guards of a read-only connection. Their order
 * is unknown, so it cannot resume from a checkpoint, only restart: see `LoadRequest.visible`.
 * @throws AppError errors of `query`
 */
export async function extractQuery(
  source: QueryableSource,
  statement: Statement,
  { batchRows, signal }: { batchRows: number; signal: AbortSignal },
): Promise<ExtractStream> {
  const { fields, batches } = await source.query(statement, { readOnly: true, signal, timeoutMs: EXTRACT_TIMEOUT_MS });
  const all = async function* (): AsyncGenerator<ExtractBatch> {
    for await (const batch of regroup(batches, fields.length, batchRows)) {
      signal.throwIfAborted();
      yield { ...batch, checkpoint: null };
    }
  };
  return { fields: withOwnNames(fields), batches: all() };
}

/** Renames duplicate columns, which a result may have and a table may not: the second `id` is `id_2`. */
function withOwnNames(fields: ExtractStream["fields"]): ExtractStream["fields"] {
  const taken = new Set(fields.map(({ name }) => name.toLowerCase()));
  const seen = new Set<string>();
  const nextCounts = new Map<string, number>();
  return fields.map((field) => {
    const base = field.name.toLowerCase();
    if (!seen.has(base)) {
      seen.add(base);
      return field;
    }
    let count = nextCounts.get(base) ?? 2;
    while (taken.has(`${base}_${count}`) || seen.has(`${base}_${count}`)) count += 1;
    nextCounts.set(base, count + 1);
    seen.add(`${base}_${count}`);
    return { ...field, name: `${field.name}_${count}` };
  });
}
