import type { Field, WireValue } from "@/lib/base/values/fields";
import { isJsonText } from "@/lib/base/values/json-text";
import type { Checkpoint, DataSource, Driver, ExtractRequest } from "../../../data-source";
import { jsonValue } from "../wire-values";

/** A reading to its end: the rows as objects, and what was told on the way. */
export type Reading = {
  rows: Record<string, WireValue>[];
  fields: Field[];
  /** Of each batch, in order. */
  checkpoints: (Checkpoint | null)[];
  batchRows: number[];
};

type ReadOptions = Partial<Omit<ExtractRequest, "entity">> & {
  /** Stops after so many batches, as a process that is killed does. */
  batchesMax?: number;
};

export function openSource(driver: Driver, config: Record<string, unknown>): Promise<DataSource> {
  return driver.open({ workspaceId: "a".repeat(24), connectionId: "b".repeat(24), config, readOnly: true });
}

/** JSON comes as its text. */
function parsed(value: WireValue): WireValue {
  return isJsonText(value) ? jsonValue(value.json) : value;
}

export async function readSource(source: DataSource, entity: string, options: ReadOptions = {}): Promise<Reading> {
  const { batchesMax = Number.POSITIVE_INFINITY, ...over } = options;
  if (!source.extract) throw new Error("This source is not one for flows.");
  const { fields, batches } = await source.extract({
    entity: { name: entity },
    cursorField: null,
    primaryKey: [],
    from: null,
    batchRows: 1000,
    signal: new AbortController().signal,
    ...over,
  });
  const reading: Reading = { rows: [], fields, checkpoints: [], batchRows: [] };
  for await (const { rowCount, columns, checkpoint, fields: grown } of batches) {
    if (grown) reading.fields = grown;
    for (let row = 0; row < rowCount; row += 1) {
      const names = reading.fields.map(({ name }) => name);
      reading.rows.push(Object.fromEntries(names.map((name, index) => [name, parsed(columns[index]?.[row] ?? null)])));
    }
    reading.checkpoints.push(checkpoint);
    reading.batchRows.push(rowCount);
    if (reading.checkpoints.length >= batchesMax) break;
  }
  return reading;
}
