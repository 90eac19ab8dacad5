import "server-only";
import { setTimeout as sleep } from "node:timers/promises";
import type { ObjectId } from "mongodb";
import { toPresetDays } from "@/lib/base/values/date-presets";
import { parseJsonWithTexts } from "@/lib/base/values/exact-json";
import { withTexts } from "@/lib/base/values/exact-sources";
import type { Field, WireValue } from "@/lib/base/values/fields";
import { isSameJson } from "@/lib/base/values/same-json";
import type { QueryOrigin } from "@/lib/features/query/model";
import type { Answer } from "@/lib/features/results/crossfilter/finish";
import { finerGrain, toEarlier, withGrain } from "@/lib/features/results/crossfilter/period";
import { QueryBatcher } from "@/lib/features/results/crossfilter/query-batcher";
import { type AggregateSpec, aggregateSpec, type Condition, LIMIT_MAX } from "@/lib/features/results/crossfilter/spec";
import { type TableField, toAggregateStatement, toListStatement } from "@/lib/features/results/crossfilter/statement";
import { queryTables, warmKept } from "@/lib/features/results/crossfilter/tables";
import type { Comparison, Grain } from "@/lib/features/results/crossfilter/words";
import type { DatasetOwner, DatasetPlace } from "@/lib/features/results/datasets/model";
import { RowsReplacedError, readCurrent } from "@/lib/features/results/datasets/read-current";
import {
  type DatasetLimits,
  type DatasetSource,
  type Dataset as KeptDataset,
  keepNewest,
  readDatasets,
  refreshDataset,
  type SeenDataset,
  toSourceKey,
} from "@/lib/features/results/datasets/service";
import type { Caller } from "@/lib/platform/access/caller";
import { AppError } from "@/lib/platform/http/errors";
import { log } from "@/lib/platform/log";
import { Semaphore } from "@/lib/platform/process/semaphore";
import { type Click, conditionsOfClicks, takeClicks } from "./clicks";
import { partNameOf, readText } from "./content";
import { conditionOf, fillDefaults, fillVariables } from "./filter-variables";
import { findFirstPage, keepFirstPage, toPageKey, zonesOfPages } from "./initial-view-cache";
import { readsData } from "./kinds/traits";
import { DATASETS_MAX, WIDGETS_MAX } from "./limits";
import { type MetricGroups, refuseWrongTotals } from "./metric-totals";
import { type DashboardDoc, viewOwnerOf } from "./model";
import { OWNER_LEFT, originOf, type Part, partsOf, READS_AT_ONCE, readerOf, resolvePart, wordsOf } from "./parts";
import {
  type DashboardFile,
  type DataQuery,
  type Filter,
  type FilterValues,
  VALUE_CHARS_MAX,
  type ValuesQuery,
  type Widget,
  type WidgetData,
} from "./schema";
import { getDashboardDocOrThrow } from "./service";
import { needsOf, queryOf } from "./specs";
import { isAggregated, refusedTotals } from "./truncation";

const SECOND_MS = 1000;
/** Wait before a failed source is read again, regardless of the number of viewers. */
const RETRY_AFTER_MS = 30_000;
/**
 * Maximum wait for the state of cached rows, which is one look-up in the store. Longer means that a source is being
 * read, and other widgets must not wait for it.
 */
const KEPT_STAND_WITHIN_MS = 250;
/** Maximum number of points of a trend: a sparkline is too narrow for more. */
const TREND_POINTS_MAX = 120;
/** Rows for values of filters in variables, per dashboard: what its viewers chose last. */
const VIEW_PARTS_MAX = 20;
/** Retention of such rows. */
const VIEW_MS = 24 * 60 * 60 * 1000;
/** The rows behind a widget. Limited to what a reader can scan; a query in a console returns all of them. */
const ROWS: AggregateSpec = aggregateSpec.parse({ limit: 1000 });

/** State of a part for this page; `error` is the reason why its rows are stale or missing. */
export type Stand = {
  kept: KeptDataset["kept"];
  error: string | null;
  /** Totals are shown although the rows were truncated. */
  acceptTruncated?: boolean;
  /** Of a source of metrics: the groups in its rows. */
  groups?: MetricGroups | undefined;
};

/**
 * Returns the data of a dashboard's widgets, computed from the cached rows of its datasets. Datasets that were never
 * read are read now, with the rights of the dashboard's owner. Those beyond their maximum age are refreshed in the
 * background.
 * @throws AppError not_found for a dashboard or widget; invalid_request for an unknown filter, a value of another kind,
 * or a field that no dataset of the filter has
 */
export async function readDashboardData(
  caller: Caller,
  dashboardId: ObjectId,
  query: DataQuery,
  signal: AbortSignal,
): Promise<{ widgets: WidgetData[] }> {
  return readDataOf(await getDashboardDocOrThrow(caller, dashboardId), query, signal);
}

/**
 * Returns the data without an access check, which is the caller's task.
 * @param toReader turns an error message into one for the reader
 */
export async function readDataOf(
  doc: DashboardDoc,
  query: DataQuery,
  signal: AbortSignal,
  toReader: Page["toReader"] = asItIs,
): Promise<{ widgets: WidgetData[] }> {
  const page = openPage(doc, query, signal, toReader);
  const wanted = widgetsFor(page, query);
  const stands = await readParts(page, partsOf(page.file, wanted));
  refuseUnknownFields(page, stands);
  const { key, widgets: first } = await firstPageOf(page, query, stands);
  if (first) return { widgets: first };
  const widgets = await computeAll(page, wanted, stands, (widget) => readParts(page, partsOf(page.file, [widget])));
  if (key !== null) await keepFirstPage(page, key, widgets);
  return { widgets };
}

/** Precomputes the initial view of a dashboard for all its viewers. */
export async function prepareFirstPages(doc: DashboardDoc, signal: AbortSignal): Promise<void> {
  for (const timezone of await zonesOfPages(doc)) await readDataOf(doc, { timezone }, signal);
}

/** Returns the cached initial view, if this page is one; a key without widgets means that the page should be cached. */
async function firstPageOf(page: Page, { widget }: Pick<DataQuery, "widget">, stands: ReadonlyMap<string, Stand>) {
  const key = widget === undefined && isUntouched(page) ? toPageKey(page, stands) : null;
  const widgets = key === null ? null : await findFirstPage(page, key);
  // The viewer is likely to click next.
  if (widgets) for (const { kept } of stands.values()) if (kept) warmKept(kept.table, page.zone);
  return { key, widgets };
}

function isUntouched({ values, clicks, isRows, grain, compare }: Look): boolean {
  if (isRows || grain !== undefined || compare !== undefined) return false;
  return Object.keys(values).length === 0 && clicks.length === 0;
}

/**
 * Does the same as `readDataOf` for users who can see the dashboard, and reports each widget as soon as its rows are
 * ready. The first read of a dataset delays only its own widgets.
 */
export async function readWidgets(
  doc: DashboardDoc,
  query: DataQuery,
  signal: AbortSignal,
  onWidget: (widget: WidgetData) => void,
): Promise<void> {
  const page = openPage(doc, query, signal, asItIs);
  const wanted = widgetsFor(page, query);
  const parts = partsOf(page.file, wanted);
  const stands = new AwaitedStands();
  const reading = readParts(page, parts, stands);
  const isFirst = query.widget === undefined && isUntouched(page);
  if (isFirst && (await isWithin(reading, KEPT_STAND_WITHIN_MS))) {
    refuseUnknownFields(page, stands);
    const first = await firstPageOf(page, query, stands);
    if (first.widgets) return first.widgets.forEach(onWidget);
  }
  const names = new Set(parts.map(({ name }) => name));
  const computed = computeAll(page, wanted, stands, (widget) => readParts(page, partsOf(page.file, [widget])), {
    isThere: (name) => (names.has(name) ? stands.until(name) : Promise.resolve()),
    onWidget,
  });
  const [widgets] = await Promise.all([computed, reading.then(() => refuseUnknownFields(page, stands))]);
  const key = isFirst ? toPageKey(page, stands) : null;
  if (key !== null) await keepFirstPage(page, key, widgets);
}

/** Returns whether the work finishes within the time. @throws errors of the work within that time */
async function isWithin(work: Promise<unknown>, ms: number): Promise<boolean> {
  const late = new AbortController();
  try {
    return await Promise.race([work.then(() => true), sleep(ms, false, { signal: late.signal })]);
  } finally {
    late.abort();
  }
}

/** States of parts that can be awaited one by one. */
class AwaitedStands extends Map<string, Stand> {
  readonly #waiting = new Map<string, PromiseWithResolvers<void>>();

  override set(name: string, stand: Stand): this {
    super.set(name, stand);
    this.#waiting.get(name)?.resolve();
    return this;
  }

  async until(name: string): Promise<void> {
    if (this.has(name)) return;
    const waiting = this.#waiting.get(name) ?? Promise.withResolvers<void>();
    this.#waiting.set(name, waiting);
    await waiting.promise;
  }
}

/**
 * Computes the data of widgets.
 * @param standAnew reads the part of a widget whose rows were replaced in between
 * @param tell awaits the part with a name, and reports each widget
 */
export function computeAll(
  look: Look,
  widgets: readonly Widget[],
  stands: ReadonlyMap<string, Stand>,
  standAnew: (widget: Widget) => Promise<ReadonlyMap<string, Stand>>,
  observer?: { isThere: (name: string) => Promise<void>; onWidget: (widget: WidgetData) => void },
): Promise<WidgetData[]> {
  const asker = new QueryBatcher(look.zone, look.signal);
  return Promise.all(
    widgets.map(async (widget) => {
      await observer?.isThere(partNameOf(widget));
      const data = await computeAgain(look, widget, asker, stands, standAnew);
      observer?.onWidget(data);
      return data;
    }),
  );
}

async function computeAgain(
  look: Look,
  widget: Widget,
  asker: QueryBatcher,
  stands: ReadonlyMap<string, Stand>,
  standAnew: (widget: Widget) => Promise<ReadonlyMap<string, Stand>>,
): Promise<WidgetData> {
  return readCurrent(async (isAgain) => compute(look, widget, asker, isAgain ? await standAnew(widget) : stands));
}

/**
 * Returns the values that a filter can have, with the number of rows of each, narrowed by the other filters.
 * @throws AppError not_found for a dashboard or filter; invalid_request as `readDashboardData`; the source's error,
 * where nothing of it could be read
 */
export async function readFilterValues(
  caller: Caller,
  dashboardId: ObjectId,
  filterId: string,
  query: ValuesQuery,
  signal: AbortSignal,
): Promise<FilterValues> {
  return readValuesOf(await getDashboardDocOrThrow(caller, dashboardId), filterId, query, signal);
}

/**
 * Returns the values without an access check, which is the caller's task.
 * @param toReader turns an error message into one for the reader
 */
export async function readValuesOf(
  doc: DashboardDoc,
  filterId: string,
  query: ValuesQuery,
  signal: AbortSignal,
  toReader: Page["toReader"] = asItIs,
): Promise<FilterValues> {
  const page = openPage(doc, query, signal, toReader);
  const filter = page.file.filters.find(({ id }) => id === filterId);
  if (!filter) throw new AppError("not_found", "Filter not found.");
  return readCurrent(() => readValues(page, filter, query));
}

async function readValues(page: Page, filter: Filter, query: ValuesQuery): Promise<FilterValues> {
  const all = partsOf(page.file, page.file.widgets);
  const filtered = all.filter(({ name }) => columnIn(filter, name) !== null);
  // Without another part, the values are those of the rows that the filter leaves when it is empty.
  const { variables: _, ...byColumn } = filter;
  const source = filtered.length > 0 ? filter : byColumn;
  const parts = filtered.length > 0 ? filtered : all.filter(({ name }) => columnIn(source, name) !== null);
  if (parts.length === 0) return { field: { name: filter.field, type: "other" }, values: [], isMore: false };
  const stands = await readParts({ ...page, values: { ...page.values, [filter.id]: null } }, parts);
  const having = parts.flatMap(({ name }) => {
    const kept = stands.get(name)?.kept;
    const column = columnIn(source, name);
    return kept && column !== null && hasField(kept.fields, column) ? [{ name, kept, column }] : [];
  });
  const [first] = having;
  if (!first) {
    const error = parts.map(({ name }) => stands.get(name)?.error).find((each) => each);
    throw new AppError(
      "invalid_request",
      error ? page.toReader(error) : `No dataset has the filter's field ${filter.field}.`,
    );
  }
  const others = page.file.filters.filter(({ id }) => id !== filter.id);
  const { fields, rows, isMore } = await queryTables(
    first.kept.table,
    page.zone,
    (table, columns) =>
      toListStatement(
        table,
        columns,
        { field: first.column, search: query.q ?? "", limit: query.limit },
        conditionsFor({ ...page, filters: others }, first.name, first.kept.fields, null),
      ),
    page.signal,
  );
  const [field] = fields;
  // Only offer values that a filter accepts, without long texts.
  const offered = rows.filter(([value]) => typeof value !== "string" || value.length <= VALUE_CHARS_MAX);
  return {
    field: { name: filter.field, type: field?.type ?? "other" },
    values: offered.map(([value, count]) => ({ value: value ?? null, count: Number(count) })),
    isMore: isMore || offered.length < rows.length,
    ...cutOf(first.kept),
  };
}

function widgetsFor({ file }: Page, { widget }: DataQuery): Widget[] {
  const shown = file.widgets.filter(readsData);
  const wanted = widget === undefined ? shown : shown.filter(({ id }) => id === widget);
  if (wanted.length === 0 && widget !== undefined) {
    throw new AppError("not_found", "Data widget not found.");
  }
  return wanted;
}

/** The view of a page: its filters and its time zone. */
export type Look = {
  filters: readonly Filter[];
  /** By filter id; an omitted filter has its default. */
  values: Readonly<Record<string, unknown>>;
  clicks: readonly Click[];
  /** Whether to return the rows behind a widget instead of its aggregated data. */
  isRows: boolean;
  /** Whether a widget is narrowed by its own click. */
  isZoomed?: boolean;
  /** Whether to report the duration of each widget, for its editor. */
  isMeasured?: boolean;
  grain?: Grain | undefined;
  compare?: Comparison | undefined;
  now: Date;
  zone: string;
  signal: AbortSignal;
  /** Turns an error message into one for the reader. */
  toReader: (message: string) => string;
};
export type Page = Look & { doc: DashboardDoc; file: DashboardFile };

/** For readers who may see the dashboard's connections. */
export const asItIs = (message: string) => message;

export function openPage(
  doc: DashboardDoc,
  query: Pick<DataQuery, "filters" | "timezone"> & Partial<Pick<DataQuery, "rows" | "zoom" | "grain" | "compare">>,
  signal: AbortSignal,
  toReader: Page["toReader"],
): Page {
  const file = readText(doc.content);
  const { grain, compare } = query;
  const isZoomed = query.zoom === "true";
  const how = { isRows: query.rows === "true", isZoomed, zone: query.timezone, grain, compare, signal, toReader };
  return { doc, file, ...toLook(file, parseValues(query.filters), how) };
}

/**
 * Returns the view of a page. @throws AppError invalid_request for an unknown filter, and for a value of another kind
 */
export function toLook(
  { filters, widgets }: Pick<DashboardFile, "filters" | "widgets">,
  chosen: Record<string, unknown>,
  how: Pick<Look, "isRows" | "isZoomed" | "isMeasured" | "grain" | "compare" | "zone" | "signal" | "toReader">,
): Look {
  const { values, clicks } = takeClicks(withTexts(chosen), widgets);
  for (const id of Object.keys(values)) {
    if (filters.some((filter) => filter.id === id)) continue;
    throw new AppError("invalid_request", `Filter “${id}” not found.`, { details: { filter: id } });
  }
  const look = { filters, values, clicks, now: new Date(), ...how };
  // Reject a value of another kind, whether or not a widget of this response has its field.
  for (const filter of filters) conditionOf(look, filter);
  return look;
}

export function parseValues(text: DataQuery["filters"]): Record<string, unknown> {
  if (text === undefined) return {};
  if (typeof text === "object") return text;
  try {
    const values = parseJsonWithTexts(text);
    if (typeof values === "object" && values !== null && !Array.isArray(values))
      return values as Record<string, unknown>;
  } catch {
    // The error is reported below.
  }
  throw new AppError("invalid_request", 'filters must be a JSON object by filter ID, such as {"region": ["north"]}.');
}

/** Reads missing parts, and starts to refresh stale ones. */
export async function readParts(
  page: Page,
  parts: readonly Part[],
  stands = new Map<string, Stand>(),
): Promise<Map<string, Stand>> {
  const { doc, signal } = page;
  const reader = await readerOf(doc);
  if (!reader) {
    for (const { name } of parts) stands.set(name, { kept: null, error: OWNER_LEFT });
    return stands;
  }
  const usual = new Map(fillDefaults(page.filters, page.now, parts).map((part) => [part.name, part.variables]));
  const filled = fillVariables(page, parts);
  const isUsual = ({ name, variables }: Part) => isSameJson(variables ?? {}, usual.get(name) ?? {});
  const ofView = filled.filter((part) => !isUsual(part));
  const shelf = { reader, origin: originOf(doc), signal };
  const owner = { workspaceId: doc.workspaceId, kind: "dashboard" as const, id: doc._id };
  const viewOwner = viewOwnerOf(doc);
  if (ofView.length > 0) await keepNewest(viewOwner, VIEW_PARTS_MAX, new Date(page.now.getTime() - VIEW_MS));
  await Promise.all([
    standParts({ ...shelf, owner }, filled.filter(isUsual), stands),
    // Keyed by source: each set of values has its own rows.
    ofView.length > 0 && standParts({ ...shelf, owner: viewOwner, nameOf: (_, key) => key }, ofView, stands),
  ]);
  return stands;
}

/** The user who reads parts, and the location of their rows. */
export type Shelf = {
  reader: Caller;
  owner: DatasetOwner;
  origin: QueryOrigin;
  signal: AbortSignal;
  /** Returns the name of a part in the cache; default: its own name. */
  nameOf?: (part: Part, sourceKey: string) => string;
  limits?: DatasetLimits;
};

/** Records the states of parts in `stands`: reads missing parts, and starts to refresh stale ones. */
export async function standParts(
  { reader, owner, origin, signal, nameOf = ({ name }) => name, limits }: Shelf,
  parts: readonly Part[],
  stands: Map<string, Stand>,
): Promise<void> {
  const sources = new Map<string, Awaited<ReturnType<typeof resolvePart>>>();
  for (const part of parts) {
    try {
      sources.set(part.name, await resolvePart(reader, part, origin));
    } catch (error) {
      stands.set(part.name, { kept: null, error: wordsOf(error) });
    }
  }
  const places = new Map<string, DatasetPlace>();
  const keys = new Map<string, string>();
  for (const part of parts) {
    const source = sources.get(part.name);
    if (!source) continue;
    const key = toSourceKey(reader, source);
    const name = nameOf(part, key);
    places.set(part.name, { owner, name });
    keys.set(name, key);
  }
  const datasets = await readDatasets(owner, keys);
  const reads = new Semaphore(READS_AT_ONCE, DATASETS_MAX + WIDGETS_MAX);
  await Promise.all(
    parts.map(async ({ name, maxAgeS, acceptTruncated }) => {
      const [source, place] = [sources.get(name), places.get(name)];
      const dataset = place && datasets.get(place.name);
      if (!source || !place || !dataset) return;
      const { kept, failure, isRefreshing } = dataset;
      const hasJustFailed = failure !== null && Date.now() - failure.at.getTime() < RETRY_AFTER_MS;
      const { groups } = source;
      if (kept || hasJustFailed) {
        stands.set(name, { kept, error: failure?.message ?? null, acceptTruncated, groups });
        const isOld = kept && maxAgeS !== null && Date.now() - kept.at.getTime() > maxAgeS * SECOND_MS;
        if (isOld && !isRefreshing && !hasJustFailed) refreshBeside(reader, place, source, dataset);
        return;
      }
      try {
        const read = await reads.run(() => refreshDataset(reader, place, source, signal, limits, dataset), signal);
        stands.set(name, { kept: read.kept, error: null, acceptTruncated, groups });
      } catch (error) {
        signal.throwIfAborted();
        stands.set(name, { kept: null, error: wordsOf(error) });
      }
    }),
  );
}

/** Refreshes in the background; a failure is recorded with the dataset. */
function refreshBeside(reader: Caller, place: DatasetPlace, source: DatasetSource, seen: SeenDataset): void {
  refreshDataset(reader, place, source, new AbortController().signal, undefined, seen).catch((error: unknown) =>
    log.info({ err: error, dataset: place.name }, "a dataset could not be refreshed"),
  );
}

/**
 * Returns the column that a filter narrows in a part: the one that it names for it, else its field in all datasets or
 * those that it lists. Null for a part that it does not filter, or filters by a variable.
 */
function columnIn({ datasets, field, columns = {}, variables }: Filter, partName: string): string | null {
  const id = partName.slice(partName.indexOf(":") + 1);
  if (Object.hasOwn(columns, id)) return columns[id] ?? field;
  if (variables && Object.hasOwn(variables, id)) return null;
  return datasets === "all" || datasets.some((each) => partName === `dataset:${each}`) ? field : null;
}

export function hasField(fields: readonly Field[], name: string): boolean {
  return fields.some((field) => field.name === name);
}

export function conditionsFor(
  page: Look,
  partName: string,
  fields: readonly Field[],
  widgetId: string | null,
): Condition[] {
  const chosen = page.filters.flatMap((filter) => {
    const column = columnIn(filter, partName);
    if (column === null || !hasField(fields, column)) return [];
    if (widgetId !== null && filter.exclude.includes(widgetId)) return [];
    const condition = conditionOf(page, filter);
    return condition ? [{ ...condition, field: column }] : [];
  });
  // The rows behind a clicked mark, and its finer groups, are those of the mark.
  const own = page.isRows || page.isZoomed ? page.clicks.filter((click) => click.widgetId === widgetId) : [];
  return [...chosen, ...conditionsOfClicks(page.clicks, fields, widgetId), ...conditionsOfClicks(own, fields, null)];
}

/**
 * Throws for a filter with a value whose field is missing in all its datasets that could be read: it would filter
 * nothing.
 */
export function refuseUnknownFields(page: Page, stands: ReadonlyMap<string, Stand>): void {
  for (const filter of page.filters) {
    if (!Object.hasOwn(page.values, filter.id) || filter.variables) continue;
    const parts = [...stands].flatMap(([name, { kept }]) => {
      const column = columnIn(filter, name);
      return column === null ? [] : [{ kept, column }];
    });
    const isKnown = parts.every(({ kept }) => kept !== null) && parts.length > 0;
    if (!isKnown || parts.some(({ kept, column }) => kept && hasField(kept.fields, column))) continue;
    throw new AppError("invalid_request", `No dataset has field ${filter.field} of filter “${filter.id}”.`, {
      details: { filter: filter.id },
    });
  }
}

async function compute(
  page: Look,
  widget: Widget,
  asker: QueryBatcher,
  stands: ReadonlyMap<string, Stand>,
): Promise<WidgetData> {
  const name = partNameOf(widget);
  const stand: Stand = stands.get(name) ?? { kept: null, error: "The widget's dataset was deleted." };
  const { kept, error } = stand;
  const nothing = { id: widget.id, fields: [], rows: [], cachedAt: null, ageMs: null, truncated: false };
  if (!kept) return { ...nothing, error: error ? page.toReader(error) : "No data yet. Refresh the dashboard." };
  const age = { cachedAt: kept.at.toISOString(), ageMs: Math.max(0, page.now.getTime() - kept.at.getTime()) };
  const cut = cutOf(kept);
  try {
    const grain = page.isRows ? undefined : grainOf(page, widget);
    const spec = page.isRows ? ROWS : withGrain(queryOf(widget), grain);
    if (
      kept.truncated &&
      !stand.acceptTruncated &&
      (isAggregated(spec) || (!page.isRows && needsOf(widget)?.aggregatesItself?.(widget.spec)))
    ) {
      return { ...nothing, ...age, ...cut, truncated: true, error: refusedTotals(kept.rowCount).message };
    }
    const plan = page.isRows ? null : (needsOf(widget)?.toPlan?.(widget.spec, spec) ?? null);
    if (stand.groups) refuseWrongTotals(stand.groups, spec, kept.fields, plan !== null);
    const conditions = conditionsFor(page, name, kept.fields, widget.id);
    const trend = page.isRows ? null : toTrend(widget, spec, page.grain);
    const earlier = page.isRows ? null : earlierOf(page, widget, conditions);
    const ofShown = needsOf(widget)?.isOfShownGroups(widget.spec) ?? false;
    const whole = ofShown ? { ...spec, sort: [], limit: LIMIT_MAX } : spec;
    const { table } = kept;
    const build = plan && ((name: string, fields: readonly TableField[]) => plan.build(name, fields, conditions));
    const [{ answer, tookMs }, line, then] = await Promise.all([
      page.isMeasured
        ? asker.measure(table, build ?? ((name, fields) => toAggregateStatement(name, fields, spec, conditions)))
        : (build ? asker.run(table, build) : asker.ask(table, spec, conditions)).then((each) => ({
            answer: each,
            tookMs: null,
          })),
      trend && asker.ask(table, trend, conditions),
      earlier && asker.ask(table, whole, earlier.conditions, earlier.shift),
    ]);
    const shown = plan
      ? plan.read(answer)
      : { fields: answer.fields, rows: toObjects(answer), truncated: answer.isMore };
    const { rows } = shown;
    const before = then && toObjects(then);
    return {
      ...{ id: widget.id, ...shown, ...age },
      ...(grain !== undefined && grain !== page.grain && { grain }),
      ...(tookMs !== null && { tookMs: Math.round(tookMs * 10) / 10 }),
      ...(line && { trend: toObjects(line).toReversed() }),
      ...(earlier &&
        before && {
          before: {
            from: earlier.from,
            to: earlier.to,
            rows: ofShown ? onlyShown(before, rows, answer.fields.slice(0, spec.dimensions.length)) : before,
          },
        }),
      truncated: kept.truncated || shown.truncated,
      ...cut,
      ...(error !== null && { error: page.toReader(error) }),
    };
  } catch (failure) {
    page.signal.throwIfAborted();
    if (failure instanceof RowsReplacedError) throw failure;
    return { ...nothing, ...age, ...cut, truncated: kept.truncated, error: page.toReader(wordsOf(failure)) };
  }
}

/**
 * Returns the time grain of a widget: that of the page, else a finer one than its own where a filter leaves only one of
 * its time units. Undefined for its own.
 */
export function grainOf(page: Look, widget: Widget): Grain | undefined {
  const isPlanned = needsOf(widget)?.toPlan !== undefined;
  // The rows of a metric are grouped already.
  if (page.grain !== undefined || isPlanned || (widget.source && "metrics" in widget.source)) return page.grain;
  const { dimensions, measures, timeUnit } = queryOf(widget);
  if (measures.length === 0) return undefined;
  for (const filter of page.filters) {
    const column = columnIn(filter, partNameOf(widget));
    const dimension = dimensions.find(({ field }) => field === column);
    const unit = dimension && "timeUnit" in dimension ? (dimension.timeUnit ?? timeUnit) : timeUnit;
    const range = dimension && unit && !filter.exclude.includes(widget.id) ? conditionOf(page, filter) : null;
    if (range?.kind !== "days" || range.from === null || range.to === null || unit === undefined) continue;
    const grain = finerGrain(unit, range.from, range.to);
    if (grain !== undefined) return grain;
  }
  return undefined;
}

/** Returns the notice for truncated rows. */
export function cutOf({ truncated, rowCount }: NonNullable<Stand["kept"]>): { firstRows?: number } {
  return truncated ? { firstRows: rowCount } : {};
}

/**
 * Returns the kind of extra query beside a widget's figures: a trend, or a previous period.
 * @param isRanged whether a click may add a range of days, which has a previous period
 */
export function whatStandsBeside(
  look: Look,
  widget: Widget,
  conditions: readonly Condition[],
  isRanged: boolean,
): "trend" | "earlier" | null {
  if (toTrend(widget, queryOf(widget), look.grain) !== null) return "trend";
  if (isRanged && isCompared(look, widget)) return "earlier";
  return earlierOf(look, widget, conditions) === null ? null : "earlier";
}

/** Returns whether a widget is compared with an earlier period, where its conditions have one. */
function isCompared({ compare }: Look, { kind, spec }: Widget): boolean {
  return (needsOf({ kind })?.isCompared(spec) ?? false) && (compare !== undefined || spec.compare === "year");
}

/** Returns the query of a figure's trend. The time dimension comes from the trend, since a figure has none. */
function toTrend(widget: Widget, { dimensions, measures }: AggregateSpec, grain: Grain | undefined) {
  const dimension = dimensions.length > 0 ? null : (needsOf(widget)?.trendOf?.(widget.spec) ?? null);
  if (!dimension) return null;
  const own = "timeUnit" in dimension ? dimension.timeUnit : undefined;
  return aggregateSpec.parse({
    dimensions: [{ field: dimension.field, timeUnit: grain ?? own ?? "day", as: "at" }],
    measures,
    sort: [{ by: "at", order: "desc" }],
    limit: TREND_POINTS_MAX,
  });
}

/**
 * Returns the previous period: the page's, else that of a chart which is compared with the year before. Null for a
 * widget that is not compared, and without a range of days.
 */
function earlierOf(look: Look, widget: Widget, conditions: readonly Condition[]) {
  if (!isCompared(look, widget)) return null;
  const today = toPresetDays("today", look.now, look.zone).to;
  if (look.compare !== undefined) return toEarlier(conditions, look.compare, today);
  // Without a range, the year before is among the chart's own rows. A range of another column moves none of its times.
  const times = new Set(queryOf(widget).dimensions.map(({ field }) => field));
  const ofTimes = conditions.filter((each) => each.kind !== "days" || times.has(each.field));
  const ended = ofTimes.flatMap((each) => (each.kind === "days" ? { ...each, from: null, to: today } : []));
  const earlier = toEarlier(ofTimes, "year", today) ?? toEarlier([...ofTimes, ...ended], "year", today);
  const others = conditions.filter((each) => !ofTimes.includes(each));
  return earlier && { ...earlier, conditions: [...earlier.conditions, ...others] };
}

/** Returns the rows of the previous period whose groups are shown. */
function onlyShown(
  earlier: readonly Record<string, WireValue>[],
  shown: readonly Record<string, WireValue>[],
  fields: readonly Field[],
): Record<string, WireValue>[] {
  const keyOf = (row: Record<string, WireValue>) => JSON.stringify(fields.map(({ name }) => row[name] ?? null));
  const keys = new Set(shown.map(keyOf));
  return earlier.filter((row) => keys.has(keyOf(row)));
}

function toObjects({ fields, rows }: Answer): Record<string, WireValue>[] {
  return rows.map((row) => Object.fromEntries(fields.map(({ name }, index) => [name, row[index] ?? null])));
}
