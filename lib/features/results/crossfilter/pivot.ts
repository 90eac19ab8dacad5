import type { AggregateSpec, Condition } from "./spec";
import { Builder, type Statement, type TableField } from "./statement";

/** A query of a pivot table. The first dimensions are rows, the others columns. */
export type PivotQuery = Pick<AggregateSpec, "dimensions" | "measures" | "sort" | "timeUnit"> & {
  rowCount: number;
  /** Maximum number of groups of all row dimensions, and of all column dimensions. */
  rowsMax: number;
  columnsMax: number;
};

/** Number of columns after those of the query: the two levels, and the two numbers of groups. */
export const PIVOT_EXTRAS = 4;
/** More cells than any query within the limits of the specification has. */
const CELLS_MAX = 250_000;

/**
 * Returns the statement of a pivot table. It groups the rows by each prefix of the row dimensions and each prefix of
 * the column dimensions, so that totals are computed from the rows and not from other cells. Totals include groups
 * beyond the limits.
 *
 * Each line has the values of the query, then the number of row dimensions and of column dimensions that it is grouped
 * by, then the number of all row groups and of all column groups. Lines are in the order of the drawing: a group before
 * its subgroups, the grand total last.
 * @throws AppError `invalid_request` as `toAggregateStatement`
 */
export function toPivotStatement(
  table: string,
  fields: readonly TableField[],
  query: PivotQuery,
  conditions: readonly Condition[],
): Statement {
  const build = new Builder(table, fields, null);
  const names = query.dimensions.map((each) => build.dimension(each, query.timeUnit).name);
  const groups = [...build.selected];
  for (const measure of query.measures) build.measure(measure);
  const where = build.where(conditions);
  const isDimension = (name: string) => names.includes(name);
  for (const { by } of query.sort) build.sortKeys(by);
  const ranked = query.sort.flatMap(({ by, order }) =>
    isDimension(by) ? [] : build.sortKeys(by).map((sql) => ({ sql, order })),
  );
  const orderOf = (at: number) => query.sort.find(({ by }) => by === names[at])?.order ?? "asc";
  const x = (at: number) => `x${at}`;
  const rows = Array.from({ length: query.rowCount }, (_, at) => at);
  const columns = Array.from({ length: names.length - query.rowCount }, (_, at) => query.rowCount + at);
  const all = build.selected.map((_, at) => x(at));
  const levelOf = (ats: readonly number[]) => ats.map((at) => `(1 - grouping(${x(at)}))`).join(" + ") || "0";
  const prefixes = (ats: readonly number[]) => [...ats.keys(), ats.length].map((count) => ats.slice(0, count).map(x));
  const sets = prefixes(rows).flatMap((row) =>
    prefixes(columns).map((column) => `(${[...row, ...column].join(", ")})`),
  );
  const setsOf = (ats: readonly number[]) =>
    prefixes(ats)
      .map((each) => `(${each.join(", ")})`)
      .join(", ");
  const rank = (level: number, key: number) => `r${level}_${key}`;
  const isOf = (heads: string, level: string, ats: readonly number[]) =>
    [
      `cells.${level} = ${heads}.${level}`,
      ...ats.map((at) => `cells.${x(at)} is not distinct from ${heads}.${x(at)}`),
    ].join(" and ");
  const list = (ats: readonly number[], ...more: string[]) => [...ats.map(x), ...more].join(", ");

  const measures = build.selected.slice(groups.length).map((sql, at) => `${sql} as ${x(groups.length + at)}`);
  const source = `select *, ${groups.map((sql, at) => `${sql} as ${x(at)}`).join(", ")} from ${table}${where}`;
  const cells = `select ${[
    ...groups.map((_, at) => x(at)),
    ...measures,
    `${levelOf(rows)} as rl`,
    `${levelOf(columns)} as cl`,
    ...ranked.map(({ sql }, key) => `${sql} as k${key}`),
  ].join(", ")} from source group by grouping sets (${sets.join(", ")})`;
  // A group ranks by its total; its subgroups inherit the rank.
  const ranks = rows.flatMap((_, index) =>
    ranked.map(
      (__, key) =>
        `max(case when rl = ${index + 1} then k${key} end) over (partition by ${list(rows.slice(0, index + 1))}) as ${rank(index + 1, key)}`,
    ),
  );
  const rowOrder = rows.flatMap((at, index) => [
    ...ranked.map(({ order }, key) => `${rank(index + 1, key)} ${order} nulls last`),
    `${x(at)} ${orderOf(at)} nulls last`,
  ]);
  const columnOrder = columns.map((at) => `${x(at)} ${orderOf(at)} nulls last`);
  const heads = [
    `row_ranks as (select ${list(rows, "rl", ...ranks)} from cells where cl = 0 and rl > 0)`,
    `row_leaves as (select ${list(rows)}, row_number() over (order by ${rowOrder.join(", ")}) as place from row_ranks where rl = ${rows.length})`,
    `row_heads as (select ${list(rows, `${levelOf(rows)} as rl`, "min(place) as place")} from row_leaves where place <= ${query.rowsMax} group by grouping sets (${setsOf(rows)}))`,
    ...(columns.length === 0
      ? []
      : [
          `column_leaves as (select ${list(columns)}, row_number() over (order by ${columnOrder.join(", ")}) as place from cells where rl = 0 and cl = ${columns.length})`,
          `column_heads as (select ${list(columns, `${levelOf(columns)} as cl`, "min(place) as place")} from column_leaves where place <= ${query.columnsMax} group by grouping sets (${setsOf(columns)}))`,
        ]),
  ];
  const joins = [
    `join row_heads on ${isOf("row_heads", "rl", rows)}`,
    ...(columns.length === 0 ? [] : [`join column_heads on ${isOf("column_heads", "cl", columns)}`]),
  ];
  const shown = [
    ...all.map((name) => `cells.${name}`),
    "cells.rl",
    "cells.cl",
    "(select count(*) from row_leaves)",
    columns.length === 0 ? "0" : "(select count(*) from column_leaves)",
  ];
  const order = [
    "cells.rl = 0",
    "row_heads.place",
    "cells.rl",
    "cells.cl = 0",
    ...(columns.length === 0 ? [] : ["column_heads.place"]),
    "cells.cl",
  ];
  const counted = (name: string) => ({ name, type: "int64" as const, dbType: "BIGINT" });
  return {
    sql: `with source as (${source}), cells as materialized (${cells}), ${heads.join(", ")} select ${shown.join(", ")} from cells ${joins.join(" ")} order by ${order.join(", ")} limit ${CELLS_MAX + 1}`,
    values: build.values,
    // Users can give no column an empty name.
    fields: [...build.fields, ...Array.from({ length: PIVOT_EXTRAS }, () => counted(""))],
    finish: [
      ...build.finish,
      ...Array.from({ length: PIVOT_EXTRAS }, (_, at) => ({ kind: "as-is" as const, at: build.selected.length + at })),
    ],
    limit: CELLS_MAX,
  };
}
