import "server-only";
import type { Entity } from "@/lib/base/values/fields";
import { AppError } from "@/lib/platform/http/errors";
import { Semaphore } from "@/lib/platform/process/semaphore";
import { isObject, RecordTable } from "./record-table";

/** Pages that are requested at once: few, since another party's service serves them. */
const AT_ONCE = 4;
/** Time limit of all pages together, in ms, below the caller's. */
const SAMPLE_TIMEOUT_MS = 20_000;
/** Maximum records of a page that are sampled. */
const RECORDS_MAX = 1000;

type Resource = { name: string; primaryKey: readonly string[] };

/**
 * Returns resources with the columns of their first page, since a service has no catalogue. A resource whose page fails
 * or is late has none.
 * @throws the error of the first failed page, when none arrived
 */
export async function sampleEntities<R extends Resource>(
  resources: readonly R[],
  signal: AbortSignal,
  readFirst: (resource: R, signal: AbortSignal) => Promise<readonly unknown[]>,
): Promise<Entity[]> {
  const within = AbortSignal.any([signal, AbortSignal.timeout(SAMPLE_TIMEOUT_MS)]);
  const failures: unknown[] = [];
  const reads = new Semaphore(AT_ONCE, resources.length);
  const entities = await Promise.all(
    resources.map(async (resource): Promise<Entity> => {
      const columns = await reads
        .run(() => readFirst(resource, within))
        .then((records) => columnsOf(records, resource.primaryKey))
        .catch((error: unknown) => void failures.push(error));
      return { name: resource.name, kind: "resource", ...(columns && { columns }) };
    }),
  );
  signal.throwIfAborted();
  if (resources.length === 0 || failures.length < resources.length) return entities;
  const known = failures.find((failure) => failure instanceof AppError);
  throw known ?? new AppError("timeout", "The source timed out.", { cause: failures[0] });
}

/** Returns the columns of a sample. Every column is nullable, since a sample cannot prove otherwise. */
function columnsOf(records: readonly unknown[], primaryKey: readonly string[]): Entity["columns"] {
  const sample = records.slice(0, RECORDS_MAX);
  const table = new RecordTable();
  table.learn(sample);
  const isMissing = (name: string) => sample.some((record) => isObject(record) && (record[name] ?? null) === null);
  return table.fields.map(({ name, type }) => {
    const isKey = primaryKey.includes(name);
    return { name, type, nullable: !isKey || isMissing(name), primaryKey: isKey };
  });
}
