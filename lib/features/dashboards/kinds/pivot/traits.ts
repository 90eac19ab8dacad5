import { isTimeField } from "@/lib/base/charts/settings";
import type { ResultField } from "@/lib/base/values/json-rows";
import { readShelves, toFirstDimension, writeShelves } from "../../browser/edit/shelves";
import type { EditedSpec, KindTraits, Spec } from "../kind-traits";
import { NO_SHELVES, suggestMeasures } from "../suggest";
import { PIVOT_COLUMNS_MAX, PIVOT_MEASURES_MAX, PIVOT_ROW_GROUPS_MAX, PIVOT_ROWS_MAX } from "./limits";

/** Groups in rows and columns, with totals that are computed from the data. */
export const pivotTraits = {
  label: "Pivot table",
  reference: "the pivot table",
  size: { w: 8, h: 10 },
  readsData: true,
  looks: { pivot: "Pivot" },
  initial: {},
  computed: ["rows", "columns", "measures", "sort", "limit", "timeUnit"],
  dimensions: ["rows", "columns"],
  lookOf: () => "pivot",
  toPlain,
  withLook: ({ dimensions, measures, limit, trend: _, ...plain }) => {
    const all = toList(dimensions);
    // The suggestion fills a pivot table without rows.
    if (all.length === 0) return withoutSort(plain);
    // The last of several is across, as the colour of a chart.
    const rows = all.slice(0, Math.min(PIVOT_ROWS_MAX, Math.max(1, all.length - 1)));
    const columns = all.slice(rows.length, rows.length + PIVOT_COLUMNS_MAX);
    const own = toList(measures).slice(0, PIVOT_MEASURES_MAX);
    return {
      ...plain,
      rows,
      ...(columns.length > 0 && { columns }),
      measures: own.length > 0 ? own : [{ op: "count" }],
      ...(typeof limit === "number" && { limit: Math.min(limit, PIVOT_ROW_GROUPS_MAX) }),
    };
  },
  readShelves: (spec) => readShelves(toPlain(spec)),
  suggest(spec, _, fields) {
    if (toList(spec.rows).length > 0 || "measures" in spec) return null;
    const time = fields.find(isTimeField);
    const words = fields.filter(({ type }) => type === "string");
    const first = words[0] ?? fields.find((field) => field !== time) ?? time;
    if (first === undefined) return null;
    const across = [time, words[1]].find((field) => field !== undefined && field !== first);
    const write = (field: ResultField) =>
      writeShelves({}, { ...NO_SHELVES, dimensions: [toFirstDimension(field)] }).dimensions;
    return {
      ...writeShelves(spec, { ...NO_SHELVES, measures: suggestMeasures(fields) }),
      rows: write(first),
      ...(across && { columns: write(across) }),
    };
  },
} as const satisfies KindTraits;

/** Lists the rows and columns as the dimensions that other kinds have. */
function toPlain({ rows, columns, totals: _, subtotals: __, heat: ___, ...spec }: Spec): EditedSpec {
  const dimensions = [...toList(rows), ...toList(columns)];
  return { ...spec, ...(dimensions.length > 0 && { dimensions }) };
}

function withoutSort({ sort: _, ...plain }: EditedSpec): EditedSpec {
  return plain;
}

function toList(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
