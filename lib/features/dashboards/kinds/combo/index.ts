import { aggregateSpec } from "@/lib/features/results/crossfilter/spec";
import { formats, queryOfFirst } from "../drawing-spec";
import { drawnKind } from "../shapes";
import { layOutCombo } from "./layout";
import { COMBO_MEASURES_MAX } from "./limits";

/** It needs two measures, of which the count is always possible. */
const query = queryOfFirst({ dimensions: 1, measures: COMBO_MEASURES_MAX }).transform((asked) => ({
  ...asked,
  measures: asked.measures.length === 1 ? [...asked.measures, { op: "count" as const, as: "rows" }] : asked.measures,
}));

export const comboKind = drawnKind(aggregateSpec.extend({ formats }), query, layOutCombo);
