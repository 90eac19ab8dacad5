import type { z } from "zod";
import { newExpressionBudget } from "@/lib/base/charts/spec-rules";
import { isSameJson } from "@/lib/base/values/same-json";
import type { AggregateSpec } from "@/lib/features/results/crossfilter/spec";
import { AppError, type InputProblem, toInputProblems } from "@/lib/platform/http/errors";
import type { DataNeeds } from "./kinds/kind";
import { KINDS } from "./kinds/registry";
import type { Widget } from "./schema";

/** Maximum number of reported problems: as many as a user corrects at once. */
const PROBLEMS_MAX = 20;

/**
 * Rejects widgets with a specification that is invalid or must not be drawn.
 * @param known stored widgets: their specifications are not rejected again, since a message replaces them
 * @throws AppError invalid_request, naming each place
 */
export function refuseBadSpecs(widgets: readonly Widget[], known: readonly Widget[] = []): void {
  const budget = newExpressionBudget();
  const details: InputProblem[] = [];
  for (const [index, { id, kind, spec }] of widgets.entries()) {
    if (known.some((each) => each.id === id && each.kind === kind && isSameJson(each.spec, spec))) continue;
    for (const { path, message } of problemsOf(kind, spec, budget)) {
      details.push({ path: ["widgets", index, "spec", ...(path === "" ? [] : [path])].join("."), message });
    }
    if (details.length >= PROBLEMS_MAX) break;
  }
  if (details.length === 0) return;
  throw new AppError("invalid_request", details[0]?.message ?? "", { details: details.slice(0, PROBLEMS_MAX) });
}

function problemsOf(kind: Widget["kind"], spec: Widget["spec"], budget: { chars: number }): InputProblem[] {
  const { error } = KINDS[kind].spec.safeParse(spec);
  const unread = toInputProblems(error?.issues ?? []);
  return [...unread, ...(KINDS[kind].findProblems?.(spec, budget) ?? [])];
}

/** Returns the message that replaces a widget whose stored specification is invalid. */
function toUnreadWords(error: z.ZodError): string {
  return `Invalid widget specification. ${error.issues[0]?.message ?? ""}`;
}

/** Returns the data that a widget needs; null for a kind without data. */
export function needsOf({ kind }: Pick<Widget, "kind">): DataNeeds | null {
  return KINDS[kind].data;
}

/** Returns the query of a widget's data; null for a kind without data, and for an invalid stored specification. */
export function findQuery({ kind, spec }: Pick<Widget, "kind" | "spec">): AggregateSpec | null {
  return KINDS[kind].data?.query.safeParse(spec).data ?? null;
}

/**
 * Returns the query of a widget's data.
 * @throws AppError invalid_request for a kind without data, and for an invalid stored specification
 */
export function queryOf({ kind, spec }: Pick<Widget, "kind" | "spec">): AggregateSpec {
  const { data } = KINDS[kind];
  if (data === null) throw new AppError("invalid_request", "This widget shows no data.");
  const parsed = data.query.safeParse(spec);
  if (parsed.success) return parsed.data;
  throw new AppError("invalid_request", toUnreadWords(parsed.error));
}
