import "server-only";
import { createHash } from "node:crypto";
import { setImmediate as breathe } from "node:timers/promises";
import type { ObjectId } from "mongodb";
import { formatCount } from "@/lib/base/values/amounts";
import { parseExactJson } from "@/lib/base/values/exact-json";
import type { Field, FieldType } from "@/lib/base/values/fields";
import { toZoneName } from "@/lib/base/values/names";
import { callerOfJob } from "@/lib/features/accounts/identity";
import { arrow } from "@/lib/features/query/serialize/arrow";
import { byteStream } from "@/lib/features/query/serialize/byte-stream";
import { settleTypes } from "@/lib/features/query/serialize/settle";
import { type AggregateSpec, aggregateSpec, type Condition } from "@/lib/features/results/crossfilter/spec";
import { type TableField, toAggregateStatement } from "@/lib/features/results/crossfilter/statement";
import { streamKept } from "@/lib/features/results/crossfilter/tables";
import { RowsReplacedError, readCurrent } from "@/lib/features/results/datasets/read-current";
import { type Dataset, readDatasets, refreshDataset } from "@/lib/features/results/datasets/service";
import type { Caller } from "@/lib/platform/access/caller";
import { AppError, toInputProblems } from "@/lib/platform/http/errors";
import { log } from "@/lib/platform/log";
import { QueueFullError, Semaphore } from "@/lib/platform/process/semaphore";
import { serverMember } from "@/lib/platform/process/server-context";
import type { AppDoc } from "../model";
import { originOf, publishedPlace, resolveBinding } from "./places";
import { bindingIn, findSet, findSourceKey } from "./published";
import { type BindingData, type DataQuery, dataQuery } from "./schema";
import { triedBinding } from "./work";

const MIB = 1024 * 1024;
/** Limits of rows in JSON, in number and size: a page should not hold more as objects. */
const JSON_ROWS_MAX = 50_000;
const JSON_BYTES_MAX = 16 * MIB;
/** Limit for a whole table as Arrow: all stored rows. */
const ALL_ROWS = 1_000_000_000;
/** Per server: a slow reader holds a statement of the engine, which dashboards need too. */
const STREAMS_AT_ONCE = 4;
const STREAMS_WAITING_MAX = 100;
const ROWS_PER_PIECE = 1000;
/** Types of measures whose values may be text: a sum beyond int64, an average that no double represents. */
const MEASURED: readonly FieldType[] = ["int64", "float64"];
/** Time without reads after a source has failed, independent of the number of viewers. */
const RETRY_AFTER_MS = 30_000;
const DAY = /^\d{4}-\d{2}-\d{2}$/;
/** Number of rows; sent only if they were truncated. */
const FIRST_ROWS_HEADER = "X-First-Rows";
const ARROW = "application/vnd.apache.arrow.stream";
const PATH = /^__data\/(?<name>[A-Za-z0-9][A-Za-z0-9_-]{0,62})\.(?<form>json|arrow)$/;
const NOTICE = "Too many rows for JSON. Aggregate with groupBy and measures, filter with where, or use .arrow.";
const CUT = "The query exceeds 1,000,000 rows or 256 MiB. Aggregate or filter in the statement.";

export type DataRequest = {
  app: AppDoc;
  at: { kind: "deployment"; sha: string } | { kind: "work"; userId: ObjectId };
  /** Relative to the app's root, without a leading slash. */
  path: string;
  /** Query string of the address, with or without its question mark. */
  search: string;
  /** Headers of the request, for If-None-Match. */
  headers?: Headers;
  signal?: AbortSignal;
};

/**
 * Answers `__data/<name>.json` and `.arrow` of an app from a binding's stored rows: for a deployment those that its
 * publisher may read, for a user's draft those that this user may. The source is read only if no rows are stored. The
 * caller must check access to the app. The response reveals nothing about statements and connections.
 * @returns null for a path outside `__data/`
 * @throws AppError not_found for an unknown binding; invalid_request for an invalid query; unavailable
 */
export async function answerData(request: DataRequest): Promise<Response | null> {
  const { app, at, path, search, headers = new Headers(), signal = new AbortController().signal } = request;
  if (!path.startsWith("__data/")) return null;
  const { name = "", form = "" } = PATH.exec(path)?.groups ?? {};
  if (name === "") throw new AppError("not_found", "Data not found.");
  const query = readQuery(search);
  return readCurrent(async () => {
    const kept =
      at.kind === "deployment"
        ? await publishedRows(app, at.sha, name, signal)
        : await ownRows(app, at.userId, name, signal);
    if (at.kind === "deployment") await refuseTotals(app, at.sha, name, kept, query);
    const etag = toEtag(kept.table.id, form, query);
    const common = {
      ETag: etag,
      "Cache-Control": "private, no-cache",
      ...(kept.truncated && { [FIRST_ROWS_HEADER]: String(kept.rowCount) }),
    };
    if (isKnown(headers.get("if-none-match"), etag)) return new Response(null, { status: 304, headers: common });
    return form === "arrow" ? answerArrow(kept, query, common, signal) : answerJson(kept, query, common, signal);
  });
}

type Kept = NonNullable<Dataset["kept"]>;

/** Throws for totals of truncated rows, which would be wrong, unless the binding's author accepts them. */
async function refuseTotals(app: AppDoc, sha: string, name: string, kept: Kept, query: DataQuery): Promise<void> {
  if (!kept.truncated || query.groupBy.length + query.measures.length === 0) return;
  const set = await findSet(app, sha);
  const binding = set && bindingIn(set, name);
  if (binding?.frontMatter.acceptTruncated) return;
  throw new AppError(
    "invalid_request",
    `The binding ${name} holds the first ${formatCount(kept.rowCount)} rows only, so its totals would be wrong. Aggregate or filter in its statement, or add “acceptTruncated: true” to its front matter.`,
    { details: { truncated: true, firstRows: kept.rowCount } },
  );
}

/** Returns the same as an object, for internal callers. @throws AppError invalid_request for an invalid query */
export async function readData(kept: Kept, query: DataQuery, signal: AbortSignal): Promise<BindingData> {
  const { facts, pieces } = await readJson(kept, query, signal);
  return { ...facts, rows: JSON.parse(`[${pieces.join(",")}]`) };
}

async function publishedRows(app: AppDoc, sha: string, name: string, signal: AbortSignal): Promise<Kept> {
  const sourceKey = await findSourceKey(app, sha, name);
  if (sourceKey === null) throw noBinding(name);
  const place = publishedPlace(app, sourceKey);
  const there = (await readDatasets(place.owner, new Map([[place.name, sourceKey]]))).get(place.name);
  if (there?.kept) return there.kept;
  // The rows were not requested for 90 days, or were evicted for other rows of the workspace.
  const failedAt = there?.failure?.at.getTime() ?? 0;
  try {
    if (Date.now() - failedAt < RETRY_AFTER_MS) throw new AppError("query_failed", there?.failure?.message ?? "");
    const set = await findSet(app, sha);
    const binding = set && bindingIn(set, name);
    const publisher = set && (await callerOfJob(app.workspaceId, set.publisherId, app._id));
    if (!binding || !publisher) throw new AppError("forbidden", "The publisher has left the workspace.");
    const source = await resolveBinding(publisher, binding, originOf(app));
    const { kept } = await refreshDataset(publisher, place, source, signal, undefined, there);
    if (kept) return kept;
    throw new RowsReplacedError();
  } catch (error) {
    signal.throwIfAborted();
    // The reason is hidden from viewers of the app: it may reveal details of the source.
    log.info({ err: error, appId: app._id.toHexString(), binding: name }, "rows of an app could not be refreshed");
    throw new AppError("unavailable", "This data is unavailable. Contact the app's publisher.", {
      cause: error,
      retryAfterSeconds: RETRY_AFTER_MS / 1000,
    });
  }
}

async function ownRows(app: AppDoc, userId: ObjectId, name: string, signal: AbortSignal): Promise<Kept> {
  const caller: Caller | null = await callerOfJob(app.workspaceId, userId, app._id);
  if (!caller) throw new AppError("forbidden", "You are no longer a member of this workspace.");
  const { kept } = await triedBinding(caller, app, name, signal);
  if (!kept) throw new RowsReplacedError();
  return kept;
}

function noBinding(name: string): AppError {
  return new AppError("not_found", `Binding “${name}” not found.`);
}

async function answerJson(
  kept: Kept,
  query: DataQuery,
  headers: Record<string, string>,
  signal: AbortSignal,
): Promise<Response> {
  const { facts, pieces } = await readJson(kept, query, signal);
  const body = Buffer.from(`${JSON.stringify(facts).slice(0, -1)},"rows":[${pieces.join(",")}]}`);
  return new Response(body, {
    headers: { ...headers, "Content-Type": "application/json", "Content-Length": String(body.length) },
  });
}

/** Returns the rows as JSON texts of objects, up to the limits of JSON. */
async function readJson(kept: Kept, query: DataQuery, signal: AbortSignal) {
  const most = Math.min(query.limit ?? JSON_ROWS_MAX, JSON_ROWS_MAX);
  const stop = new AbortController();
  const { fields, batches } = await ask(kept, query, toSpec(query, most), AbortSignal.any([signal, stop.signal]));
  const names = fields.map((field) => field.name);
  const pieces: string[] = [];
  let [rowCount, bytes, isMore] = [0, 0, false];
  try {
    for (let step = await batches.next(); !step.done && !isMore; step = await batches.next()) {
      const { rowCount: count, columns } = step.value;
      for (let row = 0; row < count && !isMore; row += ROWS_PER_PIECE) {
        const there = Math.min(ROWS_PER_PIECE, count - row);
        const take = Math.min(there, most - rowCount);
        const piece = Array.from({ length: take }, (_, index) =>
          // From entries, so that a column named __proto__ is an ordinary key.
          JSON.stringify(Object.fromEntries(names.map((name, at) => [name, columns[at]?.[row + index] ?? null]))),
        ).join(",");
        if (take > 0) pieces.push(piece);
        rowCount += take;
        bytes += Buffer.byteLength(piece);
        isMore = take < there || bytes >= JSON_BYTES_MAX;
        await breathe();
      }
    }
  } finally {
    stop.abort();
    await batches.return?.();
  }
  const facts: Omit<BindingData, "rows"> = {
    fields: fields.map(({ name, type }) => ({ name, type })),
    builtAt: kept.at.toISOString(),
    ageMs: Math.max(0, Date.now() - kept.at.getTime()),
    truncated: isMore || kept.truncated,
    notice: isMore && query.limit === undefined ? NOTICE : kept.truncated ? CUT : null,
  };
  return { facts, pieces };
}

const dataStreams = serverMember("appDataStreams", () => new Semaphore(STREAMS_AT_ONCE, STREAMS_WAITING_MAX));

async function answerArrow(
  kept: Kept,
  query: DataQuery,
  headers: Record<string, string>,
  signal: AbortSignal,
): Promise<Response> {
  const leave = await dataStreams()
    .acquire(signal)
    .catch((error: unknown) => {
      if (!(error instanceof QueueFullError)) throw error;
      throw new AppError("unavailable", "Too many full-table reads. Try again in a moment.", {
        retryAfterSeconds: 5,
      });
    });
  const stop = new AbortController();
  try {
    const limit = query.limit ?? ALL_ROWS;
    const asked = await ask(kept, query, toSpec(query, limit), AbortSignal.any([signal, stop.signal]));
    // An exact sum or average may be text in a column of numbers. Stored rows match their columns, so they are sent at
    // once.
    const loose = query.measures.length > 0 ? MEASURED : [];
    const { fields, batches } = await settleTypes("arrow", asked.fields, asked.batches, { loose, limit });
    const body = byteStream(batches, arrow(fields), limit, () => {
      stop.abort();
      leave();
    });
    // Compression would delay rows and cost more than it saves.
    return new Response(body, {
      headers: {
        ...headers,
        "Content-Type": ARROW,
        "Cache-Control": "private, no-cache, no-transform",
      },
    });
  } catch (error) {
    leave();
    throw error;
  }
}

function ask(kept: Kept, query: DataQuery, spec: AggregateSpec, signal: AbortSignal) {
  return streamKept(
    kept.table,
    query.timezone,
    (table, fields) => toAggregateStatement(table, fields, spec, toConditions(query.where, fields)),
    signal,
  );
}

/** Parses the query. @throws AppError invalid_request with the position and the reason */
function readQuery(search: string): DataQuery {
  const sent = new URLSearchParams(search).get("query");
  let value: unknown = {};
  try {
    if (sent) value = parseExactJson(sent);
  } catch {
    throw new AppError("invalid_request", "query: Invalid JSON.", {
      details: [{ path: "query", message: "Invalid JSON." }],
    });
  }
  const { data, error } = dataQuery.safeParse(value);
  if (error) {
    const details = toInputProblems(error.issues, ["query"]);
    throw new AppError("invalid_request", details[0] ? `${details[0].path}: ${details[0].message}` : "", { details });
  }
  const timezone = toZoneName(data.timezone);
  if (timezone !== null) return { ...data, timezone };
  throw new AppError("invalid_request", "query.timezone: Unknown time zone. Use a name such as Europe/Vienna or UTC.");
}

function toSpec({ groupBy, measures, sort, timeUnit }: DataQuery, limit: number): AggregateSpec {
  return { ...aggregateSpec.parse({}), dimensions: groupBy, measures, sort, limit, ...(timeUnit && { timeUnit }) };
}

function toConditions(where: DataQuery["where"], fields: readonly TableField[]): Condition[] {
  return Object.entries(where).map(([field, value]): Condition => {
    if (value === null || typeof value !== "object") return { field, kind: "oneOf", values: [value] };
    if (Array.isArray(value)) return { field, kind: "oneOf", values: value };
    if ("contains" in value) return { field, kind: "contains", text: value.contains };
    const [from, to] = [value.from ?? null, value.to ?? null];
    if (isDay(from) && isDay(to) && !(from === null && to === null && isNumber(fields, field))) {
      return { field, kind: "days", from, to };
    }
    return { field, kind: "between", from: from as number | null, to: to as number | null };
  });
}

function isDay(end: string | number | null): end is string | null {
  return end === null || (typeof end === "string" && DAY.test(end));
}

function isNumber(fields: readonly Field[], name: string): boolean {
  const type = fields.find((field) => field.name === name)?.type;
  return type === "int32" || type === "int64" || type === "float64" || type === "decimal";
}

/** Returns a weak ETag: the age of the same rows changes the response. */
function toEtag(id: string, form: string, query: DataQuery): string {
  const key = createHash("sha256")
    .update(JSON.stringify([id, form, query]))
    .digest("base64url")
    .slice(0, 27);
  return `W/"${key}"`;
}

function isKnown(sent: string | null, etag: string): boolean {
  return sent?.split(",").some((each) => each.trim() === etag || each.trim() === "*") === true;
}
