import type { Arithmetic, Bin, Coded, CubeAxis, CubeMeasure, NoCube, WidgetCube } from "@/lib/base/cubes/cube";
import type { WireValue } from "@/lib/base/values/fields";
import { AppError } from "@/lib/platform/http/errors";
import type { AggregateSpec, Condition, TimeUnit } from "./spec";
import { Builder, type Statement, type TableField, TIMES, toAggregateStatement, WHOLE } from "./statement";

/** A dimension of the widget that is pressed: a column of the dataset. */
export type PressedColumn = { field: string; timeUnit?: TimeUnit | undefined };

/** What a cube still lacks of what a widget's answer has. */
export type CubeParts = Pick<WidgetCube, "fields" | "axes" | "dimensions" | "measures" | "sort" | "limit">;
type CubePlan = {
  /** One row a cell; one more than asked for when there are too many. */
  statement: Statement;
  toParts: (rows: readonly WireValue[][]) => CubeParts;
};

/** Parts of these make no whole. */
const INDIVISIBLE: ReadonlySet<string> = new Set(["countDistinct", "median"]);

/** Why no cube can be made, whatever the rows are; null when one can. */
export function whyNoCube({ dimensions, measures }: AggregateSpec): NoCube["none"] | null {
  if (dimensions.length + measures.length === 0) return "rows";
  return measures.some(({ op }) => INDIVISIBLE.has(op)) ? "distinct" : null;
}

/**
 * The dimensions of a widget that a press can choose by, each column once.
 * @returns null where rows come as they are, so that any column may be pressed
 */
export function toPressedColumns({ dimensions, measures, timeUnit }: AggregateSpec): PressedColumn[] | null {
  if (dimensions.length + measures.length === 0) return null;
  const columns = new Map<string, PressedColumn>();
  for (const dimension of dimensions) {
    const { field } = dimension;
    const unit = ("timeUnit" in dimension ? dimension.timeUnit : undefined) ?? timeUnit;
    const before = columns.get(field);
    // Of two units neither may cut the other's pieces: days are in all of them.
    columns.set(field, { field, timeUnit: before && before.timeUnit !== unit ? "day" : unit });
  }
  return [...columns.values()];
}

/**
 * The statement for the cube of a widget: its groups, each cut up by what is pressed, with the parts of its measures. Each
 * value comes with its rank, so that the browser sorts and compares as the database does.
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
  // The statement's own names: those of the answer may be taken twice by what is pressed.
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
      // Their order is not that of their texts, by which cells are ranked.
      if (column.isTimeText) throw new AppError("invalid_request", `The column ${field} cannot be ranked by its text.`);
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

/** Days are the finest that can be pressed. Dates that are in no piece are pressed as they are. */
function toBin(type: TableField["type"], unit: TimeUnit | undefined): Bin | null {
  if (!TIMES.has(type)) return null;
  if (unit === undefined) return type === "date" ? null : "day";
  return unit === "hour" ? "day" : unit;
}

/** What the sort leaves open is in the order of the dimensions, as in the widget's own statement. */
function toSort({ sort }: AggregateSpec, fields: readonly { name: string }[], dimensions: number): CubeParts["sort"] {
  const named = sort.map(({ by, order }) => ({ at: fields.findIndex(({ name }) => name === by), order }));
  const rest = Array.from({ length: dimensions }, (_, at) => at).filter((at) => !named.some((each) => each.at === at));
  return [...named, ...rest.map((at) => ({ at, order: "asc" as const }))];
}
