import { aggregateSpec } from "@/lib/features/results/crossfilter/spec";
import { formats } from "../drawing-spec";
import type { DataKind } from "../kind";
import { drawTable } from "./draw";

export const tableKind: DataKind = {
  spec: aggregateSpec.extend({ formats }),
  data: {
    query: aggregateSpec,
    // Rows that are not aggregated have no earlier ones.
    isCompared: ({ measures }) => Array.isArray(measures) && measures.length > 0,
    isOfShownGroups: () => true,
  },
  draw: drawTable,
};
