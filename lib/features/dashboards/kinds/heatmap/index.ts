import { z } from "zod";
import { aggregateSpec } from "@/lib/features/results/crossfilter/spec";
import { formats, queryOfFirst } from "../drawing-spec";
import { drawnKind } from "../shapes";
import { layOutHeatmap } from "./layout";

export const heatmapKind = drawnKind(
  aggregateSpec.extend({ formats, labels: z.boolean("Must be true or false.").optional() }),
  queryOfFirst({ dimensions: 2, measures: 1 }),
  layOutHeatmap,
);
