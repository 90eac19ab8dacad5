import { z } from "zod";
import { aggregateSpec } from "@/lib/features/results/crossfilter/spec";
import { formats, queryOfFirst } from "../drawing-spec";
import type { DataKind } from "../kind";
import { drawLayout } from "../shapes";
import { layOutHeatmap } from "./layout";

export const heatmapKind: DataKind = {
  spec: aggregateSpec.extend({ formats, labels: z.boolean("Must be true or false.").optional() }),
  data: { query: queryOfFirst({ dimensions: 2, measures: 1 }), isCompared: () => false, isOfShownGroups: () => false },
  draw: drawLayout(layOutHeatmap),
};
