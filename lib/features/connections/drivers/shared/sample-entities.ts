import "server-only";
import type { Entity } from "@/lib/base/values/fields";
import { AppError } from "@/lib/platform/http/errors";
import { isObject, RecordTable } from "./record-table";

/** Pages that are asked for at once: few, since somebody else's service answers them. */
const AT_ONCE = 4;
/** All of them together, below what whoever asks waits for. */
const SAMPLE_TIMEOUT_MS = 20_000;
/** Records of a page that are looked at. */
const RECORDS_MAX = 1000;

type Resource = { name: string; primaryKey: readonly string[] };

/**
 * A service has no catalogue: the columns of a resource are those of its first page. One whose page does not come in
 * time, or not at all, has none.
 * @throws what the first page that failed has thrown, when none came
 */
export async function sampleEntities<R extends Resource>(
  resources: readonly R[],
  signal: AbortSignal,
  readFirst: (resource: R, signal: AbortSignal) => Promise<readonly unknown[]>,
): Promise<Entity[]> {
  const within = AbortSignal.any([signal, AbortSignal.timeout(SAMPLE_TIMEOUT_MS)]);
  const entities = new Array<Entity>(resources.length);
  const failures: unknown[] = [];
  let taken = 0;
  const work = async () => {
    for (let index = taken++; index < resources.length; index = taken++) {
      const resource = resources[index] as R;
      const columns = await readFirst(resource, within)
        .then((records) => columnsOf(records, resource.primaryKey))
        .catch((error: unknown) => void failures.push(error));
      entities[index] = { name: resource.name, kind: "resource", ...(columns && { columns }) };
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  signal.throwIfAborted();
  if (resources.length === 0 || failures.length < resources.length) return entities;
  const known = failures.find((failure) => failure instanceof AppError);
  throw known ?? new AppError("timeout", "The source did not answer in time.", { cause: failures[0] });
}

/** Null and absent values are all that a sample can say of what may be missing: nothing may be relied on. */
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
