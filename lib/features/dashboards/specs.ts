import { z } from "zod";
import { findSpecProblems, newExpressionBudget } from "@/lib/base/charts/spec-rules";
import { isSameJson } from "@/lib/base/values/same-json";
import { aggregateSpec, dimension } from "@/lib/features/results/crossfilter/spec";
import { AppError, type InputProblem } from "@/lib/platform/http/errors";
import type { Widget } from "./schema";

/** As many as a person corrects at once. */
const PROBLEMS_MAX = 20;

const figureSpec = aggregateSpec.extend({ trend: dimension.optional() });
const textSpec = z.object({ text: z.string("“text” is a text in Markdown.").optional() });
const SPECS = { chart: aggregateSpec, table: aggregateSpec, kpi: figureSpec, text: textSpec } as const;

/**
 * Refuses widgets whose specification cannot be read, or that nobody may draw.
 * @param known widgets that are stored already: what they have is not refused again, since a message takes its place
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

/** Returns the sentence that takes the place of a widget whose stored specification cannot be read. */
export function toUnreadWords(error: z.ZodError): string {
  return `The specification of this widget cannot be read. ${error.issues[0]?.message ?? ""} Edit the widget.`;
}

/** Returns by what a figure's trend goes; null for a figure without one, and for a stored one that cannot be read. */
export function trendOf({ kind, spec }: Pick<Widget, "kind" | "spec">): z.output<typeof dimension> | null {
  if (kind !== "kpi" || spec.trend === undefined) return null;
  return dimension.safeParse(spec.trend).data ?? null;
}
