import "server-only";
import { parseExactJson } from "@/lib/base/values/exact-json";
import { extendBatch } from "@/lib/base/values/row-bytes";
import type {
  Checkpoint,
  DataSource,
  ExtractBatch,
  ExtractRequest,
  ExtractStream,
} from "@/lib/features/connections/data-source";
import { driverOf } from "@/lib/features/connections/drivers/registry";
import { regroup } from "@/lib/features/connections/drivers/shared/flows/regroup";
import { type ConnectionDoc, mayOnlyRead } from "@/lib/features/connections/model";
import { withDataSource } from "@/lib/features/connections/pool";
import { requireQueryable } from "@/lib/features/connections/queryable";
import { getConnectionDocOrThrow } from "@/lib/features/connections/service";
import { uniqueColumnNames } from "@/lib/features/query/column-names";
import type { RunQueued } from "@/lib/features/runs/enqueue";
import { executeRun, type HeldRun, type RunWork } from "@/lib/features/runs/execute";
import type { RunDoc } from "@/lib/features/runs/model";
import { AppError } from "@/lib/platform/http/errors";
import { log } from "@/lib/platform/log";
import { isShuttingDown } from "@/lib/platform/process/shutdown";
import { collections } from "./collections";
import { BATCH_ROWS, RUN_TIMEOUT_MS } from "./limits";
import { loadNameOf, requireLoad } from "./loads";
import type { FlowCheckpoint, FlowDefinition, FlowDoc, FlowEntity } from "./model";
import { type Move, moveEntity, type Visible } from "./move-entity";
import { inWords, Progress } from "./progress";
import { refuseWide } from "./refuse-wide";
import { FLOW_RUN_QUEUED_EVENT, type FlowRunParams } from "./runs";
import { moveEvents, postponeEvents, queuePendingOf } from "./webhook-batch";

/** Timeout of the estimate of the number of rows, which is optional, in ms. */
const ESTIMATE_TIMEOUT_MS = 5_000;
const HOUR_MS = 3_600_000;

/**
 * Executes a queued run to its end (`executeRun`). When this server stops, the run is released and continues on
 * another server.
 */
export async function executeFlowRun(queued: RunQueued): Promise<void> {
  const run = await executeRun(queued, {
    wakeBy: FLOW_RUN_QUEUED_EVENT,
    limit: {
      ms: RUN_TIMEOUT_MS,
      reason: `The run took longer than ${RUN_TIMEOUT_MS / HOUR_MS} hours and was stopped. The next run resumes from there.`,
    },
    open: openWork,
  });
  if (run && !isShuttingDown()) await queuePendingOf(run.workspaceId, run.resourceId);
}

async function openWork(held: HeldRun): Promise<RunWork> {
  const { run, signal } = held;
  const flow = await collections.flows().findOne({ _id: run.resourceId, workspaceId: run.workspaceId });
  const names = flow ? entitiesOf(flow).map(({ name }) => name) : [];
  const progress = new Progress(held, uniqueColumnNames(names));
  const facts = () => {
    const { counts, entities } = progress;
    return { counts, entities, rowCount: counts.written };
  };
  return {
    async execute() {
      if (!flow) throw new AppError("not_found", "The flow was deleted.");
      await moveRows(flow, run, progress, signal);
      return facts();
    },
    facts,
    summary: () => inWords(progress.counts),
    async beforeEnd({ status }) {
      if (status !== "success") await postponeEvents(run.workspaceId, run.resourceId);
    },
  };
}

async function moveRows(flow: FlowDoc, run: RunDoc, progress: Progress, signal: AbortSignal): Promise<void> {
  const { workspaceId } = flow;
  const into = await getConnectionDocOrThrow({ workspaceId }, flow.destination.connectionId);
  if (mayOnlyRead(into))
    throw new AppError("read_only", `${into.name} is now read-only. Allow writes in its settings.`);
  // Held to the end of the run, so that changes to the connections do not close them.
  await withDataSource(into, async (destination) => {
    if (flow.type === "webhook") return moveEvents(flow, run, { destination, progress, signal });
    const connection = await getConnectionDocOrThrow({ workspaceId }, flow.source.connectionId);
    await withDataSource(connection, (source) =>
      moveEntities(flow, run, { connection, source, destination, progress, signal }),
    );
  });
}

async function moveEntities(
  flow: Part["flow"],
  run: RunDoc,
  { connection, source, destination, progress, signal }: Omit<Part, "flow" | "run" | "entity" | "index">,
): Promise<void> {
  const params = run.params as FlowRunParams;
  const totals = await totalsOf(flow, source, params, signal);
  for (const [index, entity] of entitiesOf(flow).entries()) {
    if (progress.entities[index]?.status === "done") continue;
    const total = totals.get(keyOf(entity)) ?? null;
    await progress.set(index, { status: "running", total }, "now");
    await moveEntity(toMove({ flow, run, entity, index, connection, source, destination, progress, signal }));
    await progress.set(index, { status: "done" }, "now");
    const { name, counts } = progress.entities[index] ?? { name: entity.name, counts: progress.counts };
    await progress.log([{ level: "info", text: `${name}: done, ${inWords(counts)}` }]);
  }
}

type Part = {
  flow: Exclude<FlowDoc, { type: "webhook" }>;
  run: RunDoc;
  entity: FlowEntity;
  index: number;
  connection: ConnectionDoc;
  source: DataSource;
  destination: DataSource;
  progress: Progress;
  signal: AbortSignal;
};

function toMove(part: Part): Move {
  const { flow, run, entity, index, connection, source, destination, progress, signal } = part;
  const params = run.params as FlowRunParams;
  const mode = params.mode ?? flow.mode;
  const cursorField =
    flow.type === "sync" && (flow.mode === "incremental" || mode === "incremental") ? entity.cursorField : null;
  const load = loadNameOf(flow, { ...entity, cursorField: cursorField ?? undefined });
  const noted = flow.checkpoints.find((each) => each.load === load);
  const isNoted = noted?.runId.equals(run._id) === true;
  const start = startOf(mode, params.from);
  const isKnown = noted && noted.value !== null && (isNoted || start === "continue");
  const name = progress.entities[index]?.name ?? entity.name;
  const note = {
    checkpoint: isKnown ? JSON.parse(noted.value ?? "null") : null,
    visible: isNoted ? noted.visible : null,
  };
  let skipped = 0;
  const options = { batchRows: BATCH_ROWS, asBytes: destination.loadsBytes === true };
  const noter = new Noter(flow, { load, entity: name, runId: run._id });
  return {
    name,
    runId: run._id.toHexString(),
    start,
    note,
    isPatient: driverOf(connection.type).category === "source",
    isUnsteady: driverOf(connection.type).category === "source",
    read: (from, stop) =>
      flow.type === "query"
        ? readQuery(source, flow.source.query, params, { ...options, signal: stop })
        : readEntity(source, {
            entity,
            cursorField: cursorField ?? null,
            primaryKey: entity.primaryKey ?? [],
            from,
            ...options,
            signal: stop,
          }),
    load: (columns, visible, stop) =>
      requireLoad(destination)({
        table: {
          name: flow.destination.table ?? entity.name,
          ...(flow.destination.schema !== undefined && { schema: flow.destination.schema }),
        },
        columns,
        mode: flow.destination.write,
        // Appended rows may repeat, after a change or a backfill: a key of the table would reject them.
        primaryKey: flow.destination.write === "append" ? [] : (entity.primaryKey ?? []),
        load,
        run: run._id.toHexString(),
        visible,
        signal: stop,
      }),
    noteVisible: (visible) => noter.begin(note.checkpoint, visible),
    rejectsLeft: () => progress.rejectsLeft,
    async moved({ read, written }, checkpoint) {
      // The destination has the exact position, so a store that is unavailable for a moment does not end the run.
      await noter.move(checkpoint).catch((error: unknown) => {
        log.warn({ err: error, runId: run._id.toHexString() }, "failed to store the progress of a load");
      });
      await progress.set(index, { counts: { read, written, skipped, failed: read - written } }, "sometimes");
    },
    async skipped(count) {
      skipped += count;
      const rows = count === 1 ? "1 row was" : `${count.toLocaleString("en")} rows were`;
      const text = `${name}: ${rows} skipped, because ${cursorField} is infinite or not a number.`;
      await progress.log([{ level: "warn", text }]);
    },
    rejected: (rows) =>
      progress.log(
        rows.map(({ row, rejected: { column, message } }) => ({
          level: "warn",
          text: `${name}: row ${row}${column === null ? "" : `, ${column}`} was rejected: ${message}`,
        })),
      ),
    retrying: (error, waitMs) =>
      progress.log([{ level: "warn", text: `${name}: ${error.message} Retrying in ${Math.ceil(waitMs / 1000)} s.` }]),
    signal,
  };
}

/** Returns the start of a run. Sources give the value of their cursor one of these two names. */
function startOf(mode: FlowDoc["mode"], from: FlowRunParams["from"]): Move["start"] {
  if (mode === "full") return { at: null };
  return from === undefined ? "continue" : { at: { value: from, since: from } };
}

/**
 * Records the progress of a load, for display and for the server that resumes it. The destination has the exact
 * position.
 */
class Noter {
  readonly #flow: FlowDoc;
  readonly #facts: Pick<FlowCheckpoint, "load" | "entity" | "runId">;
  #visible: Visible = "batch";
  #isThere = false;

  constructor(flow: FlowDoc, facts: Pick<FlowCheckpoint, "load" | "entity" | "runId">) {
    this.#flow = flow;
    this.#facts = facts;
    const noted = flow.checkpoints.find(({ load }) => load === facts.load);
    if (!noted?.runId.equals(facts.runId)) return;
    this.#visible = noted.visible;
    this.#isThere = true;
  }

  /** Records which run moves the load, and its visibility. */
  async begin(checkpoint: Checkpoint | null, visible: Visible): Promise<void> {
    const { _id, workspaceId } = this.#flow;
    this.#visible = visible;
    const note: FlowCheckpoint = { ...this.#facts, value: toText(checkpoint), visible, at: new Date() };
    await collections.flows().updateOne({ _id, workspaceId }, [
      {
        $set: {
          checkpoints: {
            $concatArrays: [
              { $filter: { input: "$checkpoints", cond: { $ne: ["$$this.load", { $literal: note.load }] } } },
              { $literal: [note] },
            ],
          },
        },
      },
    ]);
    this.#isThere = true;
  }

  async move(checkpoint: Checkpoint | null): Promise<void> {
    if (!this.#isThere || checkpoint === null) return;
    const { _id, workspaceId } = this.#flow;
    const { load } = this.#facts;
    await collections
      .flows()
      .updateOne(
        { _id, workspaceId, "checkpoints.load": load },
        { $set: { "checkpoints.$.value": toText(checkpoint), "checkpoints.$.at": new Date() } },
      );
  }
}

function toText(checkpoint: Checkpoint | null): string | null {
  return checkpoint === null ? null : JSON.stringify(checkpoint);
}

function entitiesOf(flow: FlowDefinition): FlowEntity[] {
  if (flow.type === "sync") return flow.source.entities;
  const name = flow.destination.table ?? flow.type;
  return [{ name, ...(flow.type === "query" && flow.source.primaryKey && { primaryKey: flow.source.primaryKey }) }];
}

function keyOf({ schema, name }: { schema?: string; name: string }): string {
  return JSON.stringify([schema ?? null, name]);
}

/** Returns the estimated number of rows by entity; only if all of them are read. */
async function totalsOf(
  flow: FlowDoc,
  source: DataSource,
  { mode }: FlowRunParams,
  signal: AbortSignal,
): Promise<Map<string, number>> {
  if (flow.type !== "sync" || (mode ?? flow.mode) !== "full") return new Map();
  try {
    const entities = await source.entities(AbortSignal.any([signal, AbortSignal.timeout(ESTIMATE_TIMEOUT_MS)]));
    return new Map(
      entities.flatMap(({ schema, name, rowEstimate }) =>
        rowEstimate === undefined || rowEstimate < 0
          ? []
          : [
              [keyOf({ name }), Math.round(rowEstimate)] as const,
              [keyOf({ schema, name }), Math.round(rowEstimate)] as const,
            ],
      ),
    );
  } catch {
    return new Map();
  }
}

/** Parses the values of a run; their numbers keep every digit. */
function toParams(values: string): unknown[] | Record<string, unknown> {
  return parseExactJson(values) as unknown[] | Record<string, unknown>;
}

async function readQuery(
  source: DataSource,
  query: string,
  { values }: FlowRunParams,
  { signal, batchRows, asBytes }: Pick<ExtractRequest, "signal" | "batchRows" | "asBytes">,
): Promise<ExtractStream> {
  const statement = { query, ...(values !== undefined && { params: toParams(values) }) };
  const leave = new AbortController();
  const result = await requireQueryable(source).query(statement, {
    readOnly: true,
    signal: AbortSignal.any([signal, leave.signal]),
    timeoutMs: RUN_TIMEOUT_MS,
    jsonAsText: true,
    asBytes: asBytes === true,
  });
  try {
    refuseWide(result.fields);
  } catch (error) {
    // No rows were requested yet, so only the signal ends their statement.
    leave.abort(error);
    throw error;
  }
  const names = uniqueColumnNames(result.fields.map(({ name }) => name));
  const fields = result.fields.map((field, index) => ({ ...field, name: names[index] ?? field.name }));
  return { fields, batches: withoutCheckpoints(regroup(result.batches, fields.length, batchRows)) };
}

async function* withoutCheckpoints(
  batches: AsyncIterable<Omit<ExtractBatch, "checkpoint">>,
): AsyncGenerator<ExtractBatch> {
  for await (const batch of batches) yield extendBatch(batch, { checkpoint: null });
}

async function readEntity(source: DataSource, request: ExtractRequest): Promise<ExtractStream> {
  const leave = new AbortController();
  const stream = await requireExtract(source)({ ...request, signal: AbortSignal.any([request.signal, leave.signal]) });
  try {
    refuseWide(stream.fields);
    return stream;
  } catch (error) {
    leave.abort(error);
    throw error;
  }
}

function requireExtract(source: DataSource): Required<DataSource>["extract"] {
  if (!source.extract) throw new AppError("invalid_request", "Flows can't read this connection type.");
  return source.extract.bind(source);
}
