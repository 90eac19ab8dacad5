import type { Choice, Chosen } from "../../choice";
import type { Plan } from "../../plan";
import type { Schema } from "../../schema";
import type { ModifierOf, Question } from "../question";
import { isSumOfTime, toFigurePlan } from "./figures";
import { toListPlan } from "./lists";
import { toMomentPlan } from "./moments";
import { toRankingPlan } from "./rankings";
import { Resolution } from "./resolution";
import { toSharePlan } from "./shares";
import { applyTop } from "./superlatives";
import { findTarget } from "./target";
import { Unresolved } from "./unresolved";

/** A plan with what it assumes. */
export type Resolved = { plan: Plan; assumed: string[] };

/**
 * Chooses the columns and joins of a question. Without one certain meaning it has no plan, and a choice if one name is
 * the reason.
 * @param chosen the meanings that a person chose
 */
export function resolveQuestion(
  question: Question,
  schema: Schema,
  chosen: Chosen,
): Resolved | { choice: Choice | null } {
  try {
    return resolve(new Resolution(question, schema, chosen));
  } catch (error) {
    if (error instanceof Unresolved) return { choice: error.choice };
    throw error;
  }
}

function resolve(resolution: Resolution): Resolved {
  const { items } = resolution.question;
  // "Revenue by country" ranks nothing.
  const isRanked = resolution.all("rank").length === 0 || resolution.all("top").length > 0;
  if (!isRanked && !items.every(({ kind }) => kind === "rows")) throw new Unresolved();
  resolution.target = findTarget(resolution);
  const grouped = resolution.all("groups");
  const hasCount = items.some(({ kind }) => kind === "count");
  const hasAggregate = items.some(({ kind }) => kind === "aggregate");
  applyTop(resolution);
  const counts = [...resolution.all("most"), ...resolution.all("having")];
  if (counts.length > 1) throw new Unresolved();
  if (resolution.all("order").length > 1 || resolution.all("extreme").length > 1) throw new Unresolved();
  const hasRatio = items.some(({ kind }) => (kind === "share" && grouped.length === 0) || kind === "ratio");
  const plan =
    counts.length === 1
      ? toRankingPlan(resolution, counts[0] as ModifierOf<"most"> | ModifierOf<"having">)
      : items.some(({ kind }) => kind === "moment")
        ? toMomentPlan(resolution)
        : hasRatio
          ? toSharePlan(resolution)
          : hasCount || hasAggregate || grouped.length > 0 || isSumOfTime(resolution)
            ? toFigurePlan(resolution)
            : toListPlan(resolution);
  return { plan: { ...plan, joins: resolution.joins }, assumed: resolution.assumed };
}
