import type { z } from "zod";
import type { newExpressionBudget } from "@/lib/base/charts/spec-rules";
import type { WireValue } from "@/lib/base/values/fields";
import type { Answer } from "@/lib/features/results/crossfilter/finish";
import type { AggregateSpec, Condition, dimension } from "@/lib/features/results/crossfilter/spec";
import type { Statement, TableField } from "@/lib/features/results/crossfilter/statement";
import type { InputProblem } from "@/lib/platform/http/errors";
import type { Box, Drawn, How } from "../picture/parts";
import type { WidgetData } from "../schema";
import type { Spec } from "./kind-traits";

/** The part of a widget kind that only the server needs. */
interface AnyKind {
  /** Schema of the specification. Properties of the drawing pass through. */
  readonly spec: z.ZodType;
  /** Returns problems of a specification beyond its schema. */
  findProblems?(spec: Spec, budget: ReturnType<typeof newExpressionBudget>): InputProblem[];
}

/** A kind that shows no data. */
export interface StaticKind extends AnyKind {
  readonly data: null;
  /** Draws the content for snapshots and PDF. */
  draw(spec: Spec, body: Box, how: How): Drawn;
}

/** A kind that shows the data of a source. */
export interface DataKind extends AnyKind {
  readonly data: DataNeeds;
  /**
   * Draws the content for snapshots and PDF.
   * @param data has at least one row
   */
  draw(spec: Record<string, unknown>, data: WidgetData, body: Box, how: How): Drawn;
}

/** The data that a widget needs. */
export interface DataNeeds {
  /** Schema that reads the query from a specification. */
  readonly query: z.ZodType<AggregateSpec>;
  /** Returns the time dimension of a trend beside the figures; null for none, and for an invalid stored one. */
  trendOf?(spec: Spec): z.output<typeof dimension> | null;
  /** Returns whether the page's comparison with an earlier period applies. */
  isCompared(spec: Spec): boolean;
  /**
   * Returns whether only some groups are shown. The earlier period is then queried in full: its first ten groups may
   * differ from the current ones.
   */
  isOfShownGroups(spec: Spec): boolean;
  /** Returns how data of another shape than groups or rows is computed; null for groups and rows. */
  toPlan?(spec: Spec, query: AggregateSpec): DataPlan | null;
  /** Returns whether the drawing aggregates rows, which would be wrong for truncated ones. */
  aggregatesItself?(spec: Spec): boolean;
}

/** The statement of a widget's data, and how its answer is read. */
export type DataPlan = {
  build: (table: string, fields: readonly TableField[], conditions: readonly Condition[]) => Statement;
  read: (answer: Answer) => PlannedData;
};

export type PlannedData = Pick<WidgetData, "fields" | "truncated" | "pivot"> & { rows: Record<string, WireValue>[] };

export type Kind = StaticKind | DataKind;
