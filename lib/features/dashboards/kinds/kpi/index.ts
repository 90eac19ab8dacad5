import { aggregateSpec, dimension } from "@/lib/features/results/crossfilter/spec";
import type { DataKind } from "../kind";
import { drawFigures } from "./draw";

export const kpiKind: DataKind = {
  spec: aggregateSpec.extend({ trend: dimension.optional() }),
  data: {
    query: aggregateSpec,
    trendOf: ({ trend }) => (trend === undefined ? null : (dimension.safeParse(trend).data ?? null)),
    isCompared: () => true,
    isOfShownGroups: ({ limit }) => limit !== undefined,
  },
  draw: drawFigures,
};
