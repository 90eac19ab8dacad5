import type { Field, FieldType, WireValue } from "@/lib/base/values/fields";

/*
 * A widget's data by the values that can be selected in another one: partial sums, from which a browser computes each
 * step of a brush (docs/develop/api.md, Dashboards).
 */

/** Maximum number of cells: more take longer to send than a query takes. */
export const CUBE_CELLS_MAX = 50_000;

/** Grain of a column of times. */
export type Bin = "day" | "week" | "month" | "quarter" | "year";

/** Encoded column of the cells: an index into `values` for each. Values are in the sort order of rows, null last. */
export type Coded = { values: WireValue[]; codes: number[] };

/** A column of the dataset that can be selected; with a bin, the values are the first days of the bins. */
export type CubeAxis = Coded & { field: string; type: FieldType; bin: Bin | null };

/** Number type of a sum: exact for whole numbers and decimals, binary fractions for floats. */
export type Arithmetic = "whole" | "decimal" | "float";

/** Aggregates of each cell. Sums are null if no row of the cell has a value. */
export type CubeMeasure =
  | { kind: "count"; counts: number[] }
  | { kind: "sum"; arithmetic: Arithmetic; sums: WireValue[] }
  | { kind: "avg"; arithmetic: Arithmetic; sums: WireValue[]; counts: number[] }
  | ({ kind: "min" | "max" } & Coded);

/** The cube of one widget, beside the fields of its answer other than rows. */
export type WidgetCube = {
  id: string;
  fields: Field[];
  axes: CubeAxis[];
  dimensions: Coded[];
  measures: CubeMeasure[];
  /** Sort order by index in `fields`. */
  sort: { at: number; order: "asc" | "desc" }[];
  limit: number;
  cachedAt: string | null;
  ageMs: number | null;
  /** Whether there were more rows than the limit. */
  truncated: boolean;
  /** Number of rows in the dataset, if there were more. */
  firstRows?: number | undefined;
};

/**
 * Reasons for a widget without a cube: the selection does not affect it; it needs a distinct count or a median, which
 * cannot be combined from parts; it shows raw rows, or the selection comes from raw rows; a trend line or an earlier
 * period is shown beside its figures; there would be more cells than the limit; it has totals of several levels; it has no rows to
 * show.
 */
export const NO_CUBE = [
  "unaffected",
  "distinct",
  "rows",
  "trend",
  "earlier",
  "size",
  "totals",
  "grain",
  "failed",
] as const;
export type NoCube = { id: string; none: (typeof NO_CUBE)[number] };

export type Cube = { widgets: (WidgetCube | NoCube)[] };
