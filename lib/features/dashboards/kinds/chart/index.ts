import { z } from "zod";
import { findSpecProblems } from "@/lib/base/charts/spec-rules";
import { aggregateSpec } from "@/lib/features/results/crossfilter/spec";
import { aggregatesItself } from "../../truncation";
import { extras } from "../drawing-spec";
import type { DataKind } from "../kind";
import { drawChart } from "./draw";

export const chartKind: DataKind = {
  spec: aggregateSpec.extend({ ...extras, compare: z.literal("year", "compare must be year.").optional() }),
  findProblems: findSpecProblems,
  data: {
    query: aggregateSpec,
    isCompared: () => true,
    isOfShownGroups: ({ limit }) => limit !== undefined,
    aggregatesItself,
  },
  draw: drawChart,
};
