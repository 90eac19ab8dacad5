import { aggregateSpec } from "@/lib/features/results/crossfilter/spec";
import { formats, queryOfFirst } from "../drawing-spec";
import { drawnKind } from "../shapes";
import { layOutSankey } from "./layout";

export const sankeyKind = drawnKind(
  aggregateSpec.extend({ formats }),
  queryOfFirst({ dimensions: 2, measures: 1 }),
  layOutSankey,
);
