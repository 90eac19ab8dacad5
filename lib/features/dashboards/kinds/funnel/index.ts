import { aggregateSpec } from "@/lib/features/results/crossfilter/spec";
import { formats, queryOfFirst } from "../drawing-spec";
import { drawnKind } from "../shapes";
import { layOutFunnel } from "./layout";

export const funnelKind = drawnKind(
  aggregateSpec.extend({ formats }),
  queryOfFirst({ dimensions: 1, measures: 1 }),
  layOutFunnel,
);
