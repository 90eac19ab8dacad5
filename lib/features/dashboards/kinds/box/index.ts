import { aggregateSpec } from "@/lib/features/results/crossfilter/spec";
import { formats, queryOfFirst } from "../drawing-spec";
import { drawnKind } from "../shapes";
import { BOX_COLUMNS, layOutBox } from "./layout";

/** Measures are the five numbers of each group, of the column of the first measure. */
const query = queryOfFirst({ dimensions: 1, measures: 1 }).transform(({ measures: [measure], ...asked }) => ({
  ...asked,
  sort: [],
  measures: measure?.field === undefined ? [] : BOX_COLUMNS.map((op) => ({ field: measure.field, op, as: op })),
}));

export const boxKind = drawnKind(aggregateSpec.extend({ formats }), query, layOutBox);
