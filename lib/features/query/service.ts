import "server-only";
import type { SqlDialect } from "@/lib/base/sql/dialects/registry";
import type { StatementWrite } from "@/lib/base/sql/writes";
import { formatCountOf } from "@/lib/base/values/amounts";
import { namesLimitProblem } from "@/lib/base/values/column-limits";
import type { Batch, Field, WireValue } from "@/lib/base/values/fields";
import type { ResultStream, Statement } from "@/lib/features/connections/data-source";
import { driverOf } from "@/lib/features/connections/drivers/registry";
import { checkStatementText, STATEMENT_CHARS_MAX } from "@/lib/features/connections/drivers/shared/statements/check";
import { valueBytes } from "@/lib/features/connections/drivers/shared/wire-values";
import { type ConnectionDoc, mayOnlyRead } from "@/lib/features/connections/model";
import { type DataSourceLease, leaseDataSource } from "@/lib/features/connections/pool";
import { requireQueryable } from "@/lib/features/connections/queryable";
import type { ConfirmWrites } from "@/lib/features/connections/schema";
import { type Caller, isReadOnly } from "@/lib/platform/access/caller";
import { AppError } from "@/lib/platform/http/errors";
import { streamOfPieces } from "@/lib/platform/http/pieces";
import { log } from "@/lib/platform/log";
import { Pacer } from "@/lib/platform/process/pacer";
import { raceAbort } from "@/lib/platform/process/race-abort";
import { admit, admitLargeAnswer } from "./admission";
import { applicantOf } from "./applicant";
import { uniqueColumnNames } from "./column-names";
import { requireConfirmation } from "./confirmation";
import { type ExecutionEnd, startExecution } from "./executions";
import {
  ANSWER_BYTES_MAX,
  CELL_BYTES_MAX,
  DATABASE_TIMEOUT_EXTRA_MS,
  HISTORY_TEXT_CHARS,
  LARGE_ANSWER_BYTES,
  RESULTS_MAX,
  ROW_LIMIT_DEFAULT,
  ROW_LIMIT_MAX,
  TIMEOUT_DEFAULT_MS,
  TIMEOUT_MAX_MS,
} from "./limits";
import type { HeldTransaction, SessionTurn } from "./manual-sessions";
import type { QueryOrigin } from "./model";
import { CONTENT_TYPES, type PartlyWritten, type ResultFormat } from "./schema";
import { arrow } from "./serialize/arrow";
import { byteStream } from "./serialize/byte-stream";
import { csv } from "./serialize/csv";
import { type JsonResult, jsonAnswer, jsonFields, readJsonRows } from "./serialize/json";
import { ndjson } from "./serialize/ndjson";
import { parquet } from "./serialize/parquet";
import { type SettledFormat, settleTypes } from "./serialize/settle";
import { xlsx } from "./serialize/xlsx";
import { withSuggestions } from "./suggestions";

export type QueryRequest = {
  connection: ConnectionDoc;
  /** Decides who may read the statement in the query history. */
  origin: QueryOrigin;
  statement: Statement;
  /** Maximum number of rows. Absent: 1,000 for JSON and for `runQuery`, all for streams. */
  limit?: number;
  /** Number of the first result in the response of `executeQuery`, from 0. Absent: the first. */
  result?: number;
  /** Time from now to the last row, including the queue. Absent: a minute; at most 15. */
  timeoutMs?: number;
  /** Id chosen by the caller; absent: a new one. */
  executionId?: string;
  /** Aborts when the caller leaves: the database then cancels the statement. */
  signal: AbortSignal;
  /** Restricts a writable connection to reading; a read-only one stays read-only in any case. */
  readOnly?: boolean;
  /** Further members of a JSON response. */
  facts?: Readonly<Record<string, string>>;
  /** A person has confirmed a write, or has approved the run as a whole. */
  confirm?: boolean | undefined;
  /** Session to run in, such as one for manual transactions. It decides whether the statement may write. */
  session?: Pick<HeldTransaction, "take"> & Partial<Pick<HeldTransaction, "inspect">>;
  /** Raises the connection's setting of the same name. */
  confirmWrites?: ConfirmWrites | undefined;
  /** Effect of a statement that the caller built. Absent: read from its text. */
  write?: StatementWrite;
  /**
   * Receives the rows of the first result. Its errors are logged and change nothing. Not called for a response that
   * starts with a later result.
   */
  watch?: (fields: readonly Field[]) => ResultWatch;
};

/** Result of a query whose rows were watched. */
export type WatchedEnd = {
  executionId: string;
  /** Number of rows sent, which may be fewer than the batches had. */
  rowCount: number;
  truncated: boolean;
  affectedRows: number | null;
  /** Number of results after the watched one. */
  moreResults: number;
  durationMs: number;
  databaseMs: number;
};
export type ResultWatch = {
  /** Receives a batch on its way to the reader: do not change it; the query does not wait. */
  take(batch: Batch): void;
  /** Called once, after the last batch; null when the query failed or its reader has left. */
  end(outcome: WatchedEnd | null): void;
};

/** A result in memory, with rows as objects; for callers within the product. */
export type QueryResult = {
  executionId: string;
  fields: Field[];
  rows: Record<string, WireValue>[];
  rowCount: number;
  truncated: boolean;
  /** Number of rows that the statement changed; null for a query, for DDL, and if the database does not report it. */
  affectedRows: number | null;
  durationMs: number;
  databaseMs: number;
};

const STREAMS = { ndjson, csv, arrow, parquet, xlsx };
/** Maximum size of a response that is sent in one piece: a stream of three costs more than copying them. */
const WHOLE_BYTES_MAX = 64 * 1024;
const EXECUTION_HEADER = "X-Execution-Id";
/** Header for the number of results that a stream omits; absent for 0. */
const MORE_RESULTS_HEADER = "X-More-Results";
/** Maximum size of batches to hold while counting the results after the first, before the first byte. */
const HELD_BYTES_MAX = 16 * 1024 * 1024;
const NO_RESULT: JsonResult = { chunks: [], rowCount: 0, truncated: false, fields: jsonFields([]) };

/**
 * Runs a query and responds in the format (docs/develop/api.md, Queries): JSON in the envelope, or a stream of rows.
 * Every response, including errors, has the header X-Execution-Id, except a write that was not confirmed.
 * @throws AppError `query_failed`, `read_only`, `not_allowed`, `confirmation_required`, `timeout`, `cancelled`, `rate_limited`, `conflict`,
 *   `unavailable`, `source_unreachable`
 */
export async function executeQuery(caller: Caller, request: QueryRequest, format: ResultFormat): Promise<Response> {
  const run = await begin(caller, request, format);
  try {
    const isFile = format !== "json" && format !== "xlsx";
    const first = await run.open(format === "json" ? CELL_BYTES_MAX : undefined, isFile);
    const result = await skipResults(first, request.result ?? 0);
    return format === "json"
      ? await answerJson(run, result, request)
      : await answerStream(run, result, request, format);
  } catch (error) {
    throw withExecutionId(await explained(caller, request, run.fail(error)), run.executionId);
  }
}

/**
 * Runs a query and reads its rows into memory, within the limits of a JSON response.
 * @throws AppError as `executeQuery`
 */
export async function runQuery(caller: Caller, request: QueryRequest): Promise<QueryResult> {
  const run = await begin(caller, request, "rows");
  try {
    const result = await run.open(CELL_BYTES_MAX);
    const { fields, batches } = result;
    const { rows, truncated } = await readRows(fields, batches, clampRows(request.limit));
    await readPast(result);
    const affectedRows = run.affectedRows();
    const timing = run.succeed(rows.length, truncated);
    return { executionId: run.executionId, fields, rows, rowCount: rows.length, truncated, affectedRows, ...timing };
  } catch (error) {
    throw await explained(caller, request, run.fail(error));
  }
}

/**
 * Runs a query and passes its rows on in batches, for callers within the product that store them elsewhere.
 * @param consume reads the batches to the end and returns the number of rows
 * @throws AppError as `executeQuery`, and the errors of `consume`
 */
export async function consumeQuery<T extends { rowCount: number }>(
  caller: Caller,
  request: QueryRequest,
  consume: (result: ResultStream) => Promise<T>,
): Promise<T & { executionId: string; affectedRows: number | null; durationMs: number }> {
  const run = await begin(caller, request, "rows");
  try {
    const result = await run.open(CELL_BYTES_MAX);
    const outcome = await consume(result);
    await readPast(result);
    const affectedRows = run.affectedRows();
    const { durationMs } = run.succeed(outcome.rowCount);
    return { ...outcome, executionId: run.executionId, affectedRows, durationMs };
  } catch (error) {
    throw await explained(caller, request, run.fail(error));
  }
}

async function answerJson(
  run: RunningQuery,
  result: ResultStream,
  { limit, facts: further }: Pick<QueryRequest, "limit" | "facts">,
): Promise<Response> {
  // The limits apply to all results of the statement together.
  const whenLarge = run.whenLarge;
  const left = { rows: clampRows(limit), bytes: ANSWER_BYTES_MAX, cellBytes: CELL_BYTES_MAX, whenLarge };
  const results: JsonResult[] = [];
  let resultsOmitted = 0;
  for (let next: ResultStream | null | undefined = result; next; next = await next.nextResult?.()) {
    const isListed = resultsOmitted === 0 && results.length < RESULTS_MAX;
    const fields = isListed ? jsonFields(next.fields) : null;
    if (!fields || (results.length > 0 && fields.length > left.bytes)) {
      resultsOmitted += 1;
      for await (const _ of next.batches);
      continue;
    }
    left.bytes -= fields.length;
    const rows = await readJsonRows(next, left);
    results.push({ ...rows, fields });
    left.rows -= rows.rowCount;
    left.bytes -= rows.chunks.reduce((sum, chunk) => sum + chunk.length, 0);
    if (ANSWER_BYTES_MAX - left.bytes > LARGE_ANSWER_BYTES) await whenLarge();
  }
  const [first = NO_RESULT, ...more] = results;
  const facts = { executionId: run.executionId, affectedRows: run.affectedRows(), resultsOmitted, more: further };
  const timing = run.succeed(
    results.reduce((sum, { rowCount }) => sum + rowCount, 0),
    resultsOmitted > 0 || results.some(({ truncated }) => truncated),
    first,
  );
  const pieces = jsonAnswer(first, more, { ...facts, ...timing });
  const bytes = pieces.reduce((sum, piece) => sum + piece.length, 0);
  return new Response(bytes <= WHOLE_BYTES_MAX ? Buffer.concat(pieces, bytes) : streamOfPieces(pieces), {
    headers: {
      "Content-Type": CONTENT_TYPES.json,
      "Content-Length": String(bytes),
      "Cache-Control": "no-store",
      [EXECUTION_HEADER]: run.executionId,
    },
  });
}

async function answerStream(
  run: RunningQuery,
  result: ResultStream,
  request: QueryRequest,
  format: Exclude<ResultFormat, "json">,
): Promise<Response> {
  const { batches, moreResults } = await readAhead(result);
  const limit = streamRows(request.limit);
  const { fields, batches: rows } = isSettled(format)
    ? await settleTypes(format, result.fields, batches, { loose: result.looseTypes, limit })
    : { fields: result.fields, batches };
  const body = byteStream(rows, STREAMS[format](fields), limit, ({ rowCount, error }) => {
    // Whether there are more rows beyond the limit is not checked.
    if (error === null) run.succeed(rowCount, rowCount === limit);
    else run.fail(error, rowCount);
  });
  return new Response(body, {
    headers: {
      "Content-Type": CONTENT_TYPES[format],
      // no-transform disables the server's own compression: it would delay rows, and cost more than it saves.
      "Cache-Control": "no-store, no-transform",
      // A buffering proxy would defeat the backpressure.
      "X-Accel-Buffering": "no",
      [EXECUTION_HEADER]: run.executionId,
      ...(moreResults !== 0 && { [MORE_RESULTS_HEADER]: String(moreResults ?? "unknown") }),
    },
  });
}

/**
 * Skips the results before the one with the number, from 0.
 * @throws AppError `invalid_request` if the statement returns fewer results
 */
async function skipResults(first: ResultStream, number: number): Promise<ResultStream> {
  let result: ResultStream | null = first;
  for (let count = 1; count <= number; count += 1) {
    // Rows can be left unread if no further result can follow.
    if (result.nextResult) for await (const _ of result.batches);
    result = (await result.nextResult?.()) ?? null;
    if (!result) throw noSuchResult(number, count);
  }
  return result;
}

function noSuchResult(number: number, count: number): AppError {
  const results = formatCountOf(count, "result");
  const message = `The statement returns ${results}, numbered from 0. Result ${number} does not exist.`;
  return new AppError("invalid_request", message, { details: [{ path: "result", message }] });
}

function isSettled(format: Exclude<ResultFormat, "json">): format is SettledFormat {
  return format === "arrow" || format === "parquet" || format === "xlsx";
}

/**
 * Reads what the head of the response needs: an error before the first byte still has a status. Counts further results
 * if there may be any.
 * @returns `moreResults` null if the first result is too large to hold until then
 */
async function readAhead(result: ResultStream): Promise<{ batches: AsyncIterator<Batch>; moreResults: number | null }> {
  const batches = result.batches[Symbol.asyncIterator]();
  const first = await batches.next();
  if (!result.nextResult) return { batches: resumed([first], batches), moreResults: 0 };
  const held = [first];
  let bytes = 0;
  for (let step = first; !step.done; ) {
    bytes += approximateBytes(step.value);
    if (bytes > HELD_BYTES_MAX) return { batches: readingOn(resumed(held, batches), result), moreResults: null };
    step = await batches.next();
    held.push(step);
  }
  return { batches: resumed(held, batches), moreResults: await readPast(result) };
}

/** Size of a number on the heap; texts and objects are added. */
const NUMBER_BYTES = 8;

function approximateBytes({ rowCount, columns }: Batch): number {
  const bytes = columns.flat().reduce<number>((sum, value) => sum + NUMBER_BYTES + valueBytes(value), 0);
  return bytes + rowCount;
}

/**
 * Reads the results after the first, so that the statement runs to its end.
 * @returns their number
 */
async function readPast(result: ResultStream): Promise<number> {
  let count = 0;
  for (let next = await result.nextResult?.(); next; next = await next.nextResult?.()) {
    count += 1;
    for await (const _ of next.batches);
  }
  return count;
}

/**
 * Returns the batches of a first result. When they have ended or the reader has enough, it reads the results that
 * follow.
 */
function readingOn(batches: AsyncIterator<Batch>, result: ResultStream): AsyncIterator<Batch> {
  return {
    next: async () => {
      const step = await batches.next();
      if (step.done) await readPast(result);
      return step;
    },
    return: async () => {
      const step = await batches.return?.();
      await readPast(result);
      return step ?? { done: true, value: undefined };
    },
  };
}

type FirstResult = { rowCount: number; truncated: boolean };
type Timing = { durationMs: number; databaseMs: number };

/** One query from its admission to its end. Only the first call of `succeed` or `fail` counts. */
type RunningQuery = {
  executionId: string;
  /**
   * Waits for a slot, opens the source and starts the statement; the batches measure the time that they wait.
   * @param asBytes see `QueryOptions`
   */
  open(cellBytesMax: number | undefined, asBytes?: boolean): Promise<ResultStream>;
  /** Known when the result was read; null for a query, for DDL, and if the database does not report it. */
  affectedRows(): number | null;
  /** Resolves when a large response may be held in memory, until the end. @throws why the query was stopped */
  whenLarge(): Promise<void>;
  /** @param first counts of the first result, if there are several */
  succeed(rowCount: number, truncated?: boolean, first?: FirstResult): Timing;
  /** Stops the statement if it runs, and returns the error that the caller should see. */
  fail(error: unknown, rowCount?: number): unknown;
};

async function begin(caller: Caller, request: QueryRequest, format: string): Promise<RunningQuery> {
  const { connection, statement } = request;
  await requireConfirmation(caller, request);
  const timeoutMs = Math.min(request.timeoutMs ?? TIMEOUT_DEFAULT_MS, TIMEOUT_MAX_MS);
  const startedAt = performance.now();
  const stop = new AbortController();
  const record = await startExecution(caller, {
    executionId: request.executionId,
    connectionId: connection._id,
    origin: request.origin,
    queryText: queryTextOf(statement),
    format,
    cancel: () => stop.abort(new AppError("cancelled", "The query was cancelled.")),
  });
  const timer = setTimeout(() => stop.abort(timedOut(timeoutMs)), timeoutMs);
  const onLeave = () => stop.abort(new AppError("cancelled", "The client disconnected."));
  if (request.signal.aborted) onLeave();
  else request.signal.addEventListener("abort", onLeave, { once: true });

  let databaseMs = 0;
  let leavePlace: (() => void) | null = null;
  let leaveLarge: Promise<() => void> | null = null;
  let lease: DataSourceLease | null = null;
  let turn: SessionTurn | null = null;
  let isOver = false;
  /** True from the statement's start to its last row, or until its reader leaves. */
  let isRunning = false;
  let watch: ResultWatch | null = null;
  let affectedRows: () => number | null = () => null;
  let moreResults = 0;
  const end = (outcome: Omit<ExecutionEnd, "durationMs">, truncated = false, first?: FirstResult): Timing => {
    const durationMs = rounded(performance.now() - startedAt);
    const timing = { durationMs, databaseMs: Math.min(rounded(databaseMs), durationMs) };
    if (!isOver) {
      isOver = true;
      clearTimeout(timer);
      request.signal.removeEventListener("abort", onLeave);
      // Otherwise the driver would keep the session of a statement whose last results are not read.
      if (isRunning) stop.abort(new AppError("cancelled", "The rest of the result was not read."));
      lease?.release();
      turn?.release();
      leavePlace?.();
      leaveLarge?.then(
        (leave) => leave(),
        () => undefined,
      );
      const { status, rowCount, affectedRows: affected } = outcome;
      record.end({ ...outcome, durationMs });
      const isWhole = status === "success" && rowCount !== null;
      const facts = { executionId: record.executionId, affectedRows: affected, moreResults, ...timing };
      aside(() => watch?.end(isWhole ? { ...(first ?? { rowCount, truncated }), ...facts } : null));
    }
    return timing;
  };
  const whenLarge = async () => {
    leaveLarge ??= admitLargeAnswer(caller.workspaceId.toHexString(), stop.signal);
    await leaveLarge;
  };
  const takeSource = async (): Promise<Pick<SessionTurn, "query">> => {
    if (!request.session) {
      lease = leaseDataSource(connection);
      return requireQueryable(await raceAbort(lease.source, stop.signal));
    }
    const taken = await request.session.take(queryTextOf(statement));
    turn = taken;
    taken.closed.addEventListener("abort", () => stop.abort(taken.closed.reason), { once: true });
    return taken;
  };
  const measured = async <T>(work: Promise<T>): Promise<T> => {
    const since = performance.now();
    try {
      return await work;
    } finally {
      databaseMs += performance.now() - since;
    }
  };

  return {
    executionId: record.executionId,
    async open(cellBytesMax, asBytes = false) {
      leavePlace = await admit(applicantOf(caller, connection), stop.signal, record.queued);
      record.running();
      const source = await takeSource();
      const { dialect, looseTypes } = driverOf(connection.type);
      const isChange =
        typeof statement.query === "string" &&
        dialect !== undefined &&
        (await isChangeOf(statement.query, dialect, caller));
      stop.signal.throwIfAborted();
      const result = await measured(
        source.query(statement, {
          readOnly: mayOnlyRead(connection) || request.readOnly === true || isReadOnly(caller),
          signal: stop.signal,
          timeoutMs: timeoutMs + DATABASE_TIMEOUT_EXTRA_MS,
          allResults: true,
          isChange,
          asBytes,
          whenLarge,
          describe: record.describe,
          ...(cellBytesMax !== undefined && { cellBytesMax }),
        }),
      );
      affectedRows = () => result.affectedRows?.() ?? null;
      isRunning = true;
      // A limit must not hide the number of changed rows, nor the results after the first.
      const readsToEnd = isChange || result.nextResult !== undefined;
      const named = ({ fields: given, batches, nextResult }: ResultStream, isFirst: boolean): ResultStream => {
        const problem = namesLimitProblem(given);
        if (problem !== null) throw new AppError("query_failed", problem);
        // Once, here, so that fields have the same names as the keys of rows.
        const names = uniqueColumnNames(given.map((field) => field.name));
        const fields = given.map((field, index) => ({ ...field, name: names[index] ?? field.name }));
        if (isFirst) {
          aside(() => {
            watch = request.result ? null : (request.watch?.(fields) ?? null);
          });
        }
        const see = isFirst && watch !== null ? (batch: Batch) => aside(() => watch?.take(batch)) : undefined;
        return {
          fields,
          looseTypes,
          batches: measuredBatches(batches, {
            measured,
            see,
            readsToEnd: () => {
              if (readsToEnd) stop.signal.throwIfAborted();
              return readsToEnd;
            },
            onOver: () => {
              if (!nextResult) isRunning = false;
            },
          }),
          ...(nextResult && {
            nextResult: async () => {
              const next = await measured(nextResult());
              if (next === null) isRunning = false;
              else moreResults += 1;
              return next && named(next, false);
            },
          }),
        };
      };
      return named(result, true);
    },
    affectedRows: () => affectedRows(),
    whenLarge,
    succeed: (rowCount, truncated, first) =>
      end({ status: "success", rowCount, affectedRows: affectedRows(), error: null }, truncated, first),
    fail(error, rowCount) {
      // Drivers report an abort in different ways; the reason for stopping is the result.
      const written = toPartlyWritten(error);
      const reason = stop.signal.aborted && written === null ? stop.signal.reason : error;
      if (!stop.signal.aborted) stop.abort(reason);
      const affected = written?.written ?? null;
      const outcome = { status: statusOf(reason), affectedRows: affected, error: messageOf(reason) };
      end({ ...outcome, rowCount: rowCount ?? null });
      return reason;
    },
  };
}

type Measuring = {
  measured: <T>(work: Promise<T>) => Promise<T>;
  see: ((batch: Batch) => void) | undefined;
  /**
   * Returns whether a reader that has enough rows must still wait for the end of the statement: stopping earlier
   * would roll back its changes. Only the timeout limits that. Throws the reason of an abort.
   */
  readsToEnd: () => boolean;
  /** Called when the rows have ended, or their reader has left. */
  onOver: () => void;
};

function measuredBatches(
  batches: AsyncIterable<Batch>,
  { measured, see, readsToEnd, onOver }: Measuring,
): AsyncIterable<Batch> {
  return {
    [Symbol.asyncIterator]() {
      const inner = batches[Symbol.asyncIterator]();
      let isOver = false;
      const next = async () => {
        const step = await measured(inner.next());
        isOver = step.done === true;
        if (isOver) onOver();
        return step;
      };
      return {
        next: async () => {
          const step = await next();
          if (see && !step.done) see(step.value);
          return step;
        },
        return: async () => {
          try {
            while (!isOver && readsToEnd()) await next();
          } finally {
            await inner.return?.();
            onOver();
          }
          return { done: true, value: undefined };
        },
      };
    },
  };
}

/** Analyses a long text in a thread: its verb may follow a mebibyte of comments. */
async function isChangeOf(query: string, dialect: SqlDialect, caller: Caller): Promise<boolean> {
  const request = { query: query.slice(0, STATEMENT_CHARS_MAX), dialect };
  return (await checkStatementText("changeVerb", request, caller.workspaceId.toHexString())) !== null;
}

/** An observer's error must not fail the query. */
function aside(work: () => void): void {
  try {
    work();
  } catch (error) {
    log.warn({ err: error }, "a result observer failed");
  }
}

/** Returns the iterator with the steps that were taken put back in front. */
function resumed(taken: IteratorResult<Batch>[], rest: AsyncIterator<Batch>): AsyncIterator<Batch> {
  return {
    next: async () => taken.shift() ?? (await rest.next()),
    return: async () => (await rest.return?.()) ?? { done: true, value: undefined },
  };
}

async function readRows(
  fields: readonly Field[],
  batches: AsyncIterable<Batch>,
  limit: number,
): Promise<{ rows: Record<string, WireValue>[]; truncated: boolean }> {
  const names = fields.map((field) => field.name);
  const rows: Record<string, WireValue>[] = [];
  const pacer = new Pacer();
  for await (const { rowCount, columns, isCut } of batches) {
    for (let row = 0; row < rowCount; row += 1) {
      if (rows.length === limit) return { rows, truncated: true };
      // From entries, so that a column called __proto__ is an ordinary key.
      rows.push(Object.fromEntries(names.map((name, index) => [name, columns[index]?.[row] ?? null])));
      if (pacer.isDue()) await pacer.rest();
    }
    if (isCut) return { rows, truncated: true };
  }
  return { rows, truncated: false };
}

function explained(caller: Caller, { connection, statement, signal }: QueryRequest, error: unknown): Promise<unknown> {
  if (signal.aborted) return Promise.resolve(error);
  return withSuggestions(caller, { connection, query: statement.query }, error);
}

function withExecutionId(error: unknown, executionId: string): unknown {
  if (!(error instanceof AppError)) return error;
  return new AppError(error.kind, error.message, {
    cause: error.cause,
    details: error.details,
    retryAfterSeconds: error.retryAfterSeconds,
    headers: { ...error.headers, [EXECUTION_HEADER]: executionId },
  });
}

/** Returns the error of a query that took longer than its limit. */
function timedOut(timeoutMs: number): AppError {
  const limit = timeoutMs >= 1000 ? `${rounded(timeoutMs / 1000)} s` : `${timeoutMs} ms`;
  return new AppError("timeout", `The query timed out after ${limit}. Simplify it, or raise the timeout.`);
}

/** Returns the details of an error about what was written before it; null for none. */
function toPartlyWritten(error: unknown): PartlyWritten | null {
  if (!(error instanceof AppError) || error.details === undefined || Array.isArray(error.details)) return null;
  const { written, isUnknown }: PartlyWritten = error.details;
  return typeof written === "number" || isUnknown === true ? { written, isUnknown } : null;
}

function statusOf(reason: unknown): ExecutionEnd["status"] {
  if (!(reason instanceof AppError)) return "failure";
  return reason.kind === "timeout" || reason.kind === "cancelled" ? reason.kind : "failure";
}

/** Returns the error as the caller may read it: the message of an unknown error is not stored in history. */
function messageOf(reason: unknown): string {
  return reason instanceof AppError ? reason.message.slice(0, HISTORY_TEXT_CHARS) : "The query failed.";
}

function queryTextOf({ query }: Statement): string {
  return typeof query === "string" ? query : JSON.stringify(query);
}

function clampRows(limit: number | undefined): number {
  return Math.min(Math.max(limit ?? ROW_LIMIT_DEFAULT, 1), ROW_LIMIT_MAX);
}

/** Returns null if all rows were requested. */
function streamRows(limit: number | undefined): number | null {
  return limit === undefined ? null : Math.max(limit, 1);
}

function rounded(value: number): number {
  return Math.round(value * 10) / 10;
}
