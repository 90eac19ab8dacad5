import type { Arithmetic, Bin, Coded, CubeAxis, CubeMeasure, NoCube, WidgetCube } from "@/lib/base/cubes/cube";
import type { WireValue } from "@/lib/base/values/fields";
import { AppError } from "@/lib/platform/http/errors";
import type { AggregateSpec, Condition, TimeUnit } from "./spec";
import { Builder, type Statement, type TableField, TIMES, toAggregateStatement, WHOLE } from "./statement";

/** A dimension of the clicked widget: a column of the dataset. */
export type PressedColumn = { field: string; timeUnit?: TimeUnit | undefined };

/** The parts of a cube that its query provides. */
export type CubeParts = Pick<WidgetCube, "fields" | "axes" | "dimensions" | "measures" | "sort" | "limit">;
type CubePlan = {
  /** One row per cell; one more than the limit when there are too many. */
  statement: Statement;
  toParts: (rows: readonly WireValue[][]) => CubeParts;
};

/** Operations that cannot be computed from partial results. */
const INDIVISIBLE: ReadonlySet<string> = new Set(["countDistinct", "median", "q1", "q3", "ratio"]);

/** Returns the reason why no cube is possible, independent of the rows; null when one is. */
export function whyNoCube({ dimensions, measures }: AggregateSpec): NoCube["none"] | null {
  if (dimensions.length + measures.length === 0) return "rows";
  return measures.some(({ op }) => INDIVISIBLE.has(op)) ? "distinct" : null;
}

/**
 * Returns the dimensions of a widget that a click can select, each column once.
 * @returns null for rows that are not aggregated, where any column can be clicked
 */
export function toPressedColumns({ dimensions, measures, timeUnit }: AggregateSpec): PressedColumn[] | null {
  if (dimensions.length + measures.length === 0) return null;
  const columns = new Map<string, PressedColumn>();
  for (const dimension of dimensions) {
    const { field } = dimension;
    const unit = ("timeUnit" in dimension ? dimension.timeUnit : undefined) ?? timeUnit;
    const before = columns.get(field);
    // Buckets of two units may overlap, but both consist of whole days.
    columns.set(field, { field, timeUnit: before && before.timeUnit !== unit ? "day" : unit });
  }
  return [...columns.values()];
}

/**
 * Returns the statement for the cube of a widget: its groups, split by the clickable columns, with partial results of
 * its measures. Each value comes with its rank, so that the browser sorts and compares like the database.
 * @param pressed columns that the table has
 * @throws AppError `invalid_request` as `toAggregateStatement`
 */
export function toCubeStatement(
  table: string,
  fields: readonly TableField[],
  spec: AggregateSpec,
  conditions: readonly Condition[],
  pressed: readonly PressedColumn[],
  cellsMax: number,
): CubePlan {
  const plain = toAggregateStatement(table, fields, spec, conditions);
  const build = new Builder(table, fields, null);
  // Names internal to the statement: clickable columns may repeat those of the result.
  const axes = pressed.map(({ field, timeUnit }, index) => {
    const { type } = build.column(field).field;
    const bin = toBin(type, timeUnit);
    build.dimension({ field, as: `axis ${index}`, ...(bin && { timeUnit: bin }) });
    return { field, type, bin };
  });
  const dimensions = spec.dimensions.map((each, index) =>
    build.dimension({ ...each, as: `dimension ${index}` }, spec.timeUnit),
  );
  const grouped = build.selected.length;
  const coded = Array.from({ length: grouped }, (_, at) => at);
  const measures = spec.measures.map(({ field, op }): ((take: Take) => CubeMeasure) => {
    if (field === undefined) {
      const at = build.part("count(*)");
      return ({ numbers }) => ({ kind: "count", counts: numbers(at) });
    }
    const { sql, field: column } = build.column(field);
    if (op === "min" || op === "max") {
      // Their order differs from that of their texts, by which cells are ranked.
      if (column.isTimeText) throw new AppError("invalid_request", `Column ${field} can't be ranked by its text.`);
      const at = build.part(`${op}(${sql})`);
      coded.push(at);
      return ({ codes }) => ({ kind: op, ...codes(at) });
    }
    const count = op === "sum" ? null : build.part(`count(${sql})`);
    if (op === "count") return ({ numbers }) => ({ kind: "count", counts: numbers(count ?? 0) });
    const arithmetic: Arithmetic = WHOLE.has(column.type) ? "whole" : column.type === "float64" ? "float" : "decimal";
    const exact = arithmetic === "whole" ? `${sql}::decimal(38, 0)` : sql;
    const sum = build.part(arithmetic === "float" ? `fsum(${sql})` : `sum(${exact})`);
    return ({ values, numbers }) =>
      count === null
        ? { kind: "sum", arithmetic, sums: values(sum) }
        : { kind: "avg", arithmetic, sums: values(sum), counts: numbers(count) };
  });
  const where = build.where(conditions);
  const columns = build.selected.map((sql, at) => `${sql} as x${at}`).join(", ");
  const groups = Array.from({ length: grouped }, (_, at) => `x${at}`).join(", ");
  const shown = build.selected.map((_, at) => `x${at}`);
  const ranks = coded.map((at) => `dense_rank() over (order by x${at} asc nulls last) - 1`);
  const limit = cellsMax;
  const inner = `select ${columns} from ${table}${where} group by ${groups} limit ${limit + 1}`;
  const width = shown.length + ranks.length;
  return {
    statement: {
      sql: `select ${[...shown, ...ranks].join(", ")} from (${inner}) cells`,
      values: build.values,
      fields: [],
      finish: Array.from({ length: width }, (_, at) => ({ kind: "as-is", at })),
      limit,
    },
    toParts(rows) {
      const values = (at: number) => rows.map((row) => row[at] ?? null);
      const numbers = (at: number) => rows.map((row) => Number(row[at]));
      const codes = (at: number) => toCoded(values(at), numbers(shown.length + coded.indexOf(at)));
      const take = { values, numbers, codes };
      return {
        fields: plain.fields,
        axes: axes.map((axis, at): CubeAxis => ({ ...axis, ...codes(at) })),
        dimensions: dimensions.map((_, index) => codes(axes.length + index)),
        measures: measures.map((toMeasure) => toMeasure(take)),
        sort: toSort(spec, plain.fields, dimensions.length),
        limit: spec.limit,
      };
    },
  };
}

type Take = {
  values: (at: number) => WireValue[];
  numbers: (at: number) => number[];
  codes: (at: number) => Coded;
};

function toCoded(column: readonly WireValue[], codes: number[]): Coded {
  const values: WireValue[] = [];
  for (const [row, code] of codes.entries()) values[code] = column[row] ?? null;
  return { values, codes };
}

/** Returns the bucket of a clickable time: days are the finest. Dates without a bucket are clicked by value. */
function toBin(type: TableField["type"], unit: TimeUnit | undefined): Bin | null {
  if (!TIMES.has(type)) return null;
  if (unit === undefined) return type === "date" ? null : "day";
  return unit === "hour" ? "day" : unit;
}

/** Returns the sort of a cube. Ties are in the order of the dimensions, as in the widget's statement. */
function toSort({ sort }: AggregateSpec, fields: readonly { name: string }[], dimensions: number): CubeParts["sort"] {
  const named = sort.map(({ by, order }) => ({ at: fields.findIndex(({ name }) => name === by), order }));
  const rest = Array.from({ length: dimensions }, (_, at) => at).filter((at) => !named.some((each) => each.at === at));
  return [...named, ...rest.map((at) => ({ at, order: "asc" as const }))];
}
