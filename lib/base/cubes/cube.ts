import type { Field, FieldType, WireValue } from "@/lib/base/values/fields";

/*
 * What a widget shows, kept apart by what can be pressed in another one: sums of parts, from which a browser makes the answer
 * to each step of a brush itself (docs/develop/api.md, Dashboards).
 */

/** More than these take longer to send than a question takes to be answered. */
export const CUBE_CELLS_MAX = 50_000;

/** The pieces into which a column of times is cut. */
export type Bin = "day" | "week" | "month" | "quarter" | "year";

/** A column of the cells: which of the values each has. The values are in the order in which rows are sorted, null last. */
export type Coded = { values: WireValue[]; codes: number[] };

/** A column of the dataset that is pressed; with a bin the values are the days on which the pieces begin. */
export type CubeAxis = Coded & { field: string; type: FieldType; bin: Bin | null };

/** How numbers are added up: exactly as whole numbers or decimals, or as binary fractions. */
export type Arithmetic = "whole" | "decimal" | "float";

/** What is known of each cell. Sums are null where no row of it has a value. */
export type CubeMeasure =
  | { kind: "count"; counts: number[] }
  | { kind: "sum"; arithmetic: Arithmetic; sums: WireValue[] }
  | { kind: "avg"; arithmetic: Arithmetic; sums: WireValue[]; counts: number[] }
  | ({ kind: "min" | "max" } & Coded);

/** The cube of one widget, beside what its answer has besides rows. */
export type WidgetCube = {
  id: string;
  fields: Field[];
  axes: CubeAxis[];
  dimensions: Coded[];
  measures: CubeMeasure[];
  /** By places of `fields`. */
  sort: { at: number; order: "asc" | "desc" }[];
  limit: number;
  cachedAt: string | null;
  ageMs: number | null;
  /** More rows there were than are kept. */
  truncated: boolean;
  /** The number of kept rows, where there were more. */
  firstRows?: number | undefined;
};

/**
 * Why a widget has no cube: what is pressed leaves it alone; it counts different values or asks for the middle of them, which
 * cannot be made of parts; rows come as they are, here or where is pressed; a line of how it went, or an earlier period, stands
 * beside its figures; there would be more cells than are sent; it has no
 * rows to show.
 */
export const NO_CUBE = ["unaffected", "distinct", "rows", "trend", "earlier", "size", "failed"] as const;
export type NoCube = { id: string; none: (typeof NO_CUBE)[number] };

export type Cube = { widgets: (WidgetCube | NoCube)[] };
