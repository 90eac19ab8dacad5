import { aggregateSpec } from "@/lib/features/results/crossfilter/spec";
import { formats, queryOfFirst } from "../drawing-spec";
import type { DataKind } from "../kind";
import { drawLayout } from "../shapes";
import { layOutFunnel } from "./layout";

export const funnelKind: DataKind = {
  spec: aggregateSpec.extend({ formats }),
  data: { query: queryOfFirst({ dimensions: 1, measures: 1 }), isCompared: () => false, isOfShownGroups: () => false },
  draw: drawLayout(layOutFunnel),
};
