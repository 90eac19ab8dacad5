import { z } from "zod";
import { aggregateSpec } from "@/lib/features/results/crossfilter/spec";
import { formats, queryOfFirst } from "../drawing-spec";
import { drawnKind } from "../shapes";
import { layOutMap } from "./layout";

const mark = z.enum(["regions", "points"], "mark must be regions or points.").optional();
const ofPoints = aggregateSpec.extend({ mark: z.literal("points") });
const query = z.union([
  queryOfFirst({ dimensions: 3, measures: 2 }, false, ofPoints),
  queryOfFirst({ dimensions: 1, measures: 1 }),
]);

export const mapKind = drawnKind(aggregateSpec.extend({ mark, formats }), query, layOutMap);
