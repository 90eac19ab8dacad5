import { z } from "zod";
import { findSpecProblems, newExpressionBudget } from "@/lib/base/charts/spec-rules";
import { isSameJson } from "@/lib/base/values/same-json";
import { aggregateSpec, dimension } from "@/lib/features/results/crossfilter/spec";
import { AppError, type InputProblem } from "@/lib/platform/http/errors";
import type { Widget } from "./schema";

/** Maximum number of reported problems: as many as a user corrects at once. */
const PROBLEMS_MAX = 20;

const figureSpec = aggregateSpec.extend({ trend: dimension.optional() });
const textSpec = z.object({ text: z.string("“text” must be Markdown text.").optional() });
const SPECS = { chart: aggregateSpec, table: aggregateSpec, kpi: figureSpec, text: textSpec } as const;

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
  const { error } = SPECS[kind].safeParse(spec);
  const unread = error?.issues.map(({ path, message }) => ({ path: path.join("."), message })) ?? [];
  return kind === "chart" ? [...unread, ...findSpecProblems(spec, budget)] : unread;
}

/** Returns the message that replaces a widget whose stored specification is invalid. */
export function toUnreadWords(error: z.ZodError): string {
  return `Invalid widget specification. ${error.issues[0]?.message ?? ""}`;
}

/** Returns the time dimension of a figure's trend; null for a figure without one, and for an invalid stored one. */
export function trendOf({ kind, spec }: Pick<Widget, "kind" | "spec">): z.output<typeof dimension> | null {
  if (kind !== "kpi" || spec.trend === undefined) return null;
  return dimension.safeParse(spec.trend).data ?? null;
}
