import "server-only";
import type { ObjectId } from "mongodb";
import { CUBE_CELLS_MAX, type Cube, type NoCube, type WidgetCube } from "@/lib/base/cubes/cube";
import {
  type PressedColumn,
  toCubeStatement,
  toPressedColumns,
  whyNoCube,
} from "@/lib/features/results/crossfilter/cube";
import { withGrain } from "@/lib/features/results/crossfilter/period";
import { TIMES } from "@/lib/features/results/crossfilter/statement";
import { queryTables } from "@/lib/features/results/crossfilter/tables";
import { RowsReplacedError, readCurrent } from "@/lib/features/results/datasets/read-current";
import type { Caller } from "@/lib/platform/access/caller";
import { AppError } from "@/lib/platform/http/errors";
import { log } from "@/lib/platform/log";
import { partNameOf } from "./content";
import {
  asItIs,
  conditionsFor,
  cutOf,
  grainOf,
  hasField,
  openPage,
  type Page,
  readParts,
  refuseUnknownFields,
  type Stand,
  whatStandsBeside,
} from "./data";
import { readsData } from "./kinds/traits";
import { refuseWrongTotals } from "./metric-totals";
import type { DashboardDoc } from "./model";
import { partsOf } from "./parts";
import type { CubeQuery, Widget } from "./schema";
import { getDashboardDocOrThrow } from "./service";
import { needsOf, queryOf } from "./specs";

/**
 * Returns the cubes of a dashboard's other widgets for clicks in one of them, under all other filters. They hold
 * partial sums, from which the browser computes each state. Limit of 50,000 cells in total; the first widgets of the
 * page take precedence.
 * @throws AppError not_found for a dashboard or widget; invalid_request as `readDashboardData`
 */
export async function readDashboardCube(
  caller: Caller,
  dashboardId: ObjectId,
  widgetId: string,
  query: CubeQuery,
  signal: AbortSignal,
): Promise<Cube> {
  return readCubeOf(await getDashboardDocOrThrow(caller, dashboardId), widgetId, query, signal);
}

/**
 * Returns the cubes without an access check, which is the caller's task.
 * @param toReader turns an error message into one for the reader
 */
export async function readCubeOf(
  doc: DashboardDoc,
  widgetId: string,
  query: CubeQuery,
  signal: AbortSignal,
  toReader: Page["toReader"] = asItIs,
): Promise<Cube> {
  const whole = openPage(doc, query, signal, toReader);
  const active = whole.file.widgets.find(({ id }) => id === widgetId);
  if (!active) throw new AppError("not_found", "Widget not found.");
  // The current click in the widget is replaced by the next one.
  const page = { ...whole, clicks: whole.clicks.filter(({ widgetId }) => widgetId !== active.id) };
  const others = page.file.widgets.filter((widget) => readsData(widget) && widget.id !== active.id);
  // Without data there is nothing to click.
  const pressed = readsData(active) ? toPressedColumns(withGrain(queryOf(active), grainOf(page, active))) : [];
  const spared = new Set(Array.isArray(active.spec.exclude) ? active.spec.exclude : []);
  return readCurrent(() => readCubes(page, others, pressed, spared));
}

async function readCubes(
  page: Page,
  others: readonly Widget[],
  pressed: readonly PressedColumn[] | null,
  spared: ReadonlySet<unknown>,
): Promise<Cube> {
  const stands = await readParts(page, partsOf(page.file, others));
  refuseUnknownFields(page, stands);
  const cubes: Cube["widgets"] = [];
  let cellsLeft = CUBE_CELLS_MAX;
  // One after another: there is no click yet, and requests for data have priority.
  for (const widget of others) {
    const cube: WidgetCube | NoCube = spared.has(widget.id)
      ? { id: widget.id, none: "unaffected" }
      : pressed === null
        ? { id: widget.id, none: "rows" }
        : await readOne(page, widget, stands.get(partNameOf(widget)) ?? null, pressed, cellsLeft);
    if ("axes" in cube) cellsLeft -= cube.axes[0]?.codes.length ?? 0;
    cubes.push(cube);
  }
  return { widgets: cubes };
}

async function readOne(
  page: Page,
  widget: Widget,
  stand: Stand | null,
  pressed: readonly PressedColumn[],
  cellsMax: number,
): Promise<WidgetCube | NoCube> {
  const { id } = widget;
  const kept = stand?.kept ?? null;
  // Totals over a part of the rows are refused; the widget's own data gives the reason.
  if (!kept || (kept.truncated && !stand?.acceptTruncated)) return { id, none: "failed" };
  const axes = pressed.filter(({ field }) => hasField(kept.fields, field));
  if (axes.length === 0) return { id, none: "unaffected" };
  try {
    const spec = withGrain(queryOf(widget), page.grain);
    const conditions = conditionsFor(page, partNameOf(widget), kept.fields, id);
    const hasLevels = needsOf(widget)?.toPlan?.(widget.spec, spec) != null;
    if (stand?.groups) refuseWrongTotals(stand.groups, spec, kept.fields, false);
    const isRanged = axes.some(({ field }) => kept.fields.some(({ name, type }) => name === field && TIMES.has(type)));
    const isFiner = grainOf(page, widget) !== page.grain;
    const none =
      (isFiner ? "grain" : null) ??
      whyNoCube(spec) ??
      (hasLevels ? "totals" : null) ??
      whatStandsBeside(page, widget, conditions, isRanged);
    if (none !== null) return { id, none };
    let toParts: ReturnType<typeof toCubeStatement>["toParts"] | null = null;
    const { rows, isMore } = await queryTables(
      kept.table,
      page.zone,
      (table, fields) => {
        const plan = toCubeStatement(table, fields, spec, conditions, axes, cellsMax);
        toParts = plan.toParts;
        return plan.statement;
      },
      page.signal,
    );
    if (isMore || toParts === null) return { id, none: "size" };
    const age = { cachedAt: kept.at.toISOString(), ageMs: Math.max(0, page.now.getTime() - kept.at.getTime()) };
    return {
      id,
      ...(toParts as (cells: typeof rows) => Omit<WidgetCube, "id">)(rows),
      ...age,
      truncated: kept.truncated,
      ...cutOf(kept),
    };
  } catch (failure) {
    page.signal.throwIfAborted();
    if (failure instanceof RowsReplacedError) throw failure;
    // The widget's own data gives the reason.
    if (!(failure instanceof AppError))
      log.error({ err: failure }, "a cube could not be built because of an internal error");
    return { id, none: "failed" };
  }
}
