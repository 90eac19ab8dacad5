import { z } from "zod";
import { aggregateSpec } from "@/lib/features/results/crossfilter/spec";
import { finite, formats, queryOfFirst } from "../drawing-spec";
import { drawnKind } from "../shapes";
import { layOutGauge } from "./layout";

export const gaugeKind = drawnKind(
  aggregateSpec.extend({
    mark: z.enum(["gauge", "progress"], "mark must be gauge or progress.").optional(),
    goal: finite("goal").optional(),
    min: finite("min").optional(),
    max: finite("max").optional(),
    better: z.enum(["up", "down"], "better must be up or down.").optional(),
    formats,
  }),
  queryOfFirst({ dimensions: 0, measures: 1 }, true),
  layOutGauge,
);
