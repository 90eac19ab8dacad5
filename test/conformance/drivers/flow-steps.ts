import type { Field, WireValue } from "@/lib/base/values/fields";
import { isJsonText } from "@/lib/base/values/json-text";
import { startChDb } from "@/test/servers/chdb";
import type {
  DataSource,
  ExtractBatch,
  ExtractRequest,
  Load,
  LoadRequest,
  QueryableSource,
} from "../../../lib/features/connections/data-source";
import { jsonValue } from "../../../lib/features/connections/drivers/shared/wire-values";
import { openWith, type SubjectName, startSubject } from "./subjects";

export type FlowSubjectName = SubjectName | "clickhouse";
export type FlowSubject = {
  open(readOnly: boolean): Promise<FlowSource & QueryableSource>;
  config?: Record<string, unknown>;
  stop(): Promise<void>;
};

/** Starts a subject like `startSubject`, with ClickHouse's embedded engine if Python has it. */
export async function startFlowSubject(name: FlowSubjectName): Promise<FlowSubject | null> {
  if (name !== "clickhouse") return (await startSubject(name)) as unknown as FlowSubject | null;
  const chDb = await startChDb();
  if (!chDb) return null;
  const { clickhouse } = await import("../../../lib/features/connections/drivers/clickhouse");
  const config = { host: "127.0.0.1", port: chDb.port, user: "default", password: "" };
  return {
    config,
    open: async (readOnly) => (await openWith(clickhouse, config, readOnly)) as FlowSource & QueryableSource,
    stop: () => chDb.stop(),
  };
}

/** Helpers that create, read and compare tables in the tests of extract and load. */

export const ANY = new AbortController().signal;
export type FlowSource = DataSource & Required<Pick<DataSource, "extract" | "load">>;

export const field = (name: string, type: Field["type"], dbType: string = type): Field => ({ name, type, dbType });

export type Read = { fields: Field[]; rows: WireValue[][]; batches: ExtractBatch[] };

/** Reads all batches, or the first ones. */
export async function read(
  source: Pick<DataSource, "extract">,
  request: Partial<ExtractRequest> & Pick<ExtractRequest, "entity">,
  batchesMax = Number.POSITIVE_INFINITY,
): Promise<Read> {
  if (!source.extract) throw new Error("This source reads nothing for flows.");
  const { fields, batches } = await source.extract({
    cursorField: null,
    primaryKey: [],
    from: null,
    batchRows: 1000,
    signal: ANY,
    ...request,
  });
  const all: Read = { fields, rows: [], batches: [] };
  for await (const batch of batches) {
    all.batches.push(batch);
    all.rows.push(...rowsOf(batch));
    if (all.batches.length >= batchesMax) break;
  }
  return all;
}

export function rowsOf({ rowCount, columns }: { rowCount: number; columns: WireValue[][] }): WireValue[][] {
  return Array.from({ length: rowCount }, (_, row) => columns.map((column) => parsed(column[row] ?? null)));
}

/** Returns JSON as its text. */
function parsed(value: WireValue): WireValue {
  return isJsonText(value) ? jsonValue(value.json) : value;
}

export function batchOf(rows: readonly (readonly WireValue[])[]): { rowCount: number; columns: WireValue[][] } {
  const width = rows[0]?.length ?? 0;
  return {
    rowCount: rows.length,
    columns: Array.from({ length: width }, (_, index) => rows.map((row) => row[index] ?? null)),
  };
}

let runs = 0;

/** Starts a load with a unique name, unless the request has one. */
export async function begin(
  source: Pick<DataSource, "load">,
  request: Partial<LoadRequest> & { columns: Field[]; table: LoadRequest["table"] },
): Promise<Load> {
  if (!source.load) throw new Error("This source writes nothing for flows.");
  runs += 1;
  return source.load({
    mode: "append",
    primaryKey: [],
    load: `load of ${request.table.name}`,
    run: `run ${runs}`,
    visible: "batch",
    signal: ANY,
    ...request,
  });
}

/** Runs a whole load. */
export async function loadRows(
  source: Pick<DataSource, "load">,
  request: Partial<LoadRequest> & { columns: Field[]; table: LoadRequest["table"] },
  rows: readonly (readonly WireValue[])[],
): Promise<void> {
  const load = await begin(source, request);
  await load.write(batchOf(rows), { position: null, rejectsMax: 0 });
  await load.finish();
}

export function sorted(rows: readonly WireValue[][]): WireValue[][] {
  return [...rows].sort((left, right) => (JSON.stringify(left) < JSON.stringify(right) ? -1 : 1));
}
