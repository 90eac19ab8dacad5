import { z } from "zod";
import type { WireValue } from "@/lib/base/values/fields";
import type { ResultField } from "@/lib/base/values/json-rows";
import type { Answer } from "@/lib/features/results/crossfilter/finish";
import { PIVOT_EXTRAS, toPivotStatement } from "@/lib/features/results/crossfilter/pivot";
import { type AggregateSpec, aggregateSpec, dimension } from "@/lib/features/results/crossfilter/spec";
import type { DataKind, PlannedData } from "../kind";
import { drawPivot } from "./draw";
import {
  PIVOT_COLUMN_GROUPS_MAX, PIVOT_COLUMNS_MAX, PIVOT_MEASURES_MAX, PIVOT_ROW_GROUPS_MAX, PIVOT_ROW_GROUPS_USUAL, PIVOT_ROWS_MAX,
} from "./limits"; // biome-ignore format: one look at the whole list

const LIMIT_WORDS = `Limit must be a whole number from 1 to ${PIVOT_ROW_GROUPS_MAX}.`;
const shown = z.boolean("Must be true or false.").optional();
/** A blank one is a pivot table whose rows are not chosen yet. */
const pivotSpec = z
  .object({
    rows: z
      .array(dimension, "Rows must be a list of columns.")
      .max(PIVOT_ROWS_MAX, `At most ${PIVOT_ROWS_MAX} rows.`)
      .default([]),
    columns: z
      .array(dimension, "Columns must be a list of columns.")
      .max(PIVOT_COLUMNS_MAX, `At most ${PIVOT_COLUMNS_MAX} columns.`)
      .default([]),
    measures: aggregateSpec.shape.measures
      .unwrap()
      .max(PIVOT_MEASURES_MAX, `At most ${PIVOT_MEASURES_MAX} measures.`)
      .default([]),
    sort: aggregateSpec.shape.sort,
    limit: z
      .int(LIMIT_WORDS)
      .min(1, LIMIT_WORDS)
      .max(PIVOT_ROW_GROUPS_MAX, LIMIT_WORDS)
      .default(PIVOT_ROW_GROUPS_USUAL),
    timeUnit: aggregateSpec.shape.timeUnit,
    totals: shown,
    subtotals: shown,
    heat: shown,
  })
  .superRefine(({ rows, columns, measures }, context) => {
    const isBlank = rows.length + columns.length + measures.length === 0;
    if (!isBlank && rows.length === 0)
      context.addIssue({ code: "custom", path: ["rows"], message: "Select at least one row." });
    if (!isBlank && measures.length === 0)
      context.addIssue({ code: "custom", path: ["measures"], message: "Select at least one measure." });
  });

const query = pivotSpec.transform(
  ({ rows, columns, measures, sort, limit, timeUnit }): AggregateSpec => ({
    ...{ dimensions: [...rows, ...columns], measures, sort, limit },
    ...(timeUnit && { timeUnit }),
  }),
);

export const pivotKind: DataKind = {
  spec: pivotSpec,
  data: {
    query,
    isCompared: () => false,
    isOfShownGroups: () => false,
    toPlan({ rows }, { dimensions, measures, sort, limit, timeUnit }) {
      const rowCount = Array.isArray(rows) ? rows.length : 0;
      if (rowCount === 0) return null;
      const asked = {
        ...{ dimensions, measures, sort, timeUnit, rowCount },
        rowsMax: limit,
        columnsMax: PIVOT_COLUMN_GROUPS_MAX,
      };
      return {
        build: (table, fields, conditions) => toPivotStatement(table, fields, asked, conditions),
        read: (answer) => readAnswer(answer, rowCount, dimensions.length - rowCount),
      };
    },
  },
  draw: drawPivot,
};

/** Splits an answer of `toPivotStatement` into its values and their levels. */
function readAnswer(answer: Answer, rows: number, columns: number): PlannedData {
  const fields = answer.fields.slice(0, -PIVOT_EXTRAS);
  const extras = (line: Answer["rows"][number] | undefined) => (line ?? []).slice(-PIVOT_EXTRAS).map(Number);
  const [, , rowGroups = 0, columnGroups = 0] = extras(answer.rows[0]);
  // Without rows, the engine still answers the grand total.
  const lines = rowGroups === 0 ? [] : answer.rows;
  return {
    fields,
    rows: lines.map((line) => toRecord(fields, line)),
    truncated: answer.isMore,
    pivot: { rows, columns, levels: lines.map((line) => extras(line).slice(0, 2)), rowGroups, columnGroups },
  };
}

function toRecord(fields: readonly ResultField[], line: readonly WireValue[]): Record<string, WireValue> {
  return Object.fromEntries(fields.map(({ name }, at) => [name, line[at] ?? null]));
}
