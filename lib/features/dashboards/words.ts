import { isSameJson } from "@/lib/base/values/same-json";
import { tabsOf } from "./browser/tabs";
import { traitsOf, type WidgetKind } from "./kinds/traits";
import type { DashboardFile, Dataset, Filter, Widget } from "./schema";

/**
 * Lists the changes between two versions of a dashboard, part by part, in words; empty when only the file's formatting
 * differs.
 * @param before null for a new dashboard
 * @param after null for a deleted one
 */
export function changesBetween(before: DashboardFile | null, after: DashboardFile | null): string[] {
  if (!before && !after) return [];
  if (!before) return ["Created dashboard", ...partsOf(EMPTY, after ?? EMPTY)];
  if (!after) return ["Deleted dashboard"];
  const own: string[] = [];
  if (before.title !== after.title) own.push(`Renamed dashboard from “${before.title}” to “${after.title}”`);
  if (before.description !== after.description) own.push("Changed description");
  return [...own, ...partsOf(before, after)];
}

const EMPTY: DashboardFile = { title: "", description: "", datasets: [], widgets: [], filters: [] };

function partsOf(before: DashboardFile, after: DashboardFile): string[] {
  return [
    ...compare(before.datasets, after.datasets, "dataset", nameOfDataset, changesOfDataset),
    ...compare(before.widgets, after.widgets, ({ kind }) => toKindNoun(kind), nameOfWidget, changesOfWidget),
    ...changesOfTabOrder(tabsOf(before.widgets), tabsOf(after.widgets)),
    ...compare(before.filters, after.filters, "filter", nameOfFilter, changesOfFilter),
  ];
}

function changesOfTabOrder(before: readonly string[], after: readonly string[]): string[] {
  const kept = before.filter((tab) => after.includes(tab));
  return isSameJson(
    kept,
    after.filter((tab) => before.includes(tab)),
  )
    ? []
    : ["Reordered tabs"];
}

function compare<T extends { id: string }>(
  before: readonly T[],
  after: readonly T[],
  kind: string | ((part: T) => string),
  nameOf: (part: T) => string,
  changesOf: (before: T, after: T, name: string) => string[],
): string[] {
  const kindOf = typeof kind === "string" ? () => kind : kind;
  const old = new Map(before.map((part) => [part.id, part]));
  const kept = new Set(after.map(({ id }) => id));
  const lines: string[] = [];
  for (const part of after) {
    const was = old.get(part.id);
    if (!was) lines.push(`Added ${kindOf(part)} ${nameOf(part)}`);
    else lines.push(...changesOf(was, part, `${kindOf(part)} ${nameOf(part)}`));
  }
  const removed = before.filter(({ id }) => !kept.has(id));
  return [...lines, ...removed.map((part) => `Removed ${kindOf(part)} ${nameOf(part)}`)];
}

function changesOfWidget(before: Widget, after: Widget, name: string): string[] {
  const lines: string[] = [];
  if (before.title !== after.title) lines.push(toRenaming(before, after, name));
  if (before.kind !== after.kind) lines.push(`Changed ${toKindNoun(before.kind)} to ${name}`);
  if (!isSameJson(before.source, after.source)) lines.push(`Changed source of ${name}`);
  if (!isSameJson(before.spec, after.spec)) lines.push(`Edited ${name}`);
  lines.push(...changesOfTotals(before, after, name));
  const { x, y, w, h } = before.layout;
  if (x !== after.layout.x || y !== after.layout.y) lines.push(`Moved ${name}`);
  if (before.tab !== after.tab) {
    lines.push(after.tab === undefined ? `Moved ${name} to all tabs` : `Moved ${name} to tab “${after.tab}”`);
  }
  if (w !== after.layout.w || h !== after.layout.h) lines.push(`Resized ${name}`);
  return lines;
}

function changesOfTotals(
  before: Pick<Dataset, "acceptTruncated">,
  after: Pick<Dataset, "acceptTruncated">,
  name: string,
): string[] {
  if ((before.acceptTruncated ?? false) === (after.acceptTruncated ?? false)) return [];
  return [`${after.acceptTruncated ? "Allowed" : "Disallowed"} totals of truncated rows in ${name}`];
}

function changesOfDataset(before: Dataset, after: Dataset, name: string): string[] {
  const lines: string[] = [];
  if (before.name !== after.name) lines.push(`Renamed ${name} from ${nameOfDataset(before)}`);
  if (!isSameJson(before.source, after.source)) lines.push(`Changed source of ${name}`);
  if (before.maxAgeS !== after.maxAgeS) lines.push(`Changed cache duration of ${name}`);
  lines.push(...changesOfTotals(before, after, name));
  return lines;
}

function changesOfFilter(before: Filter, after: Filter, name: string): string[] {
  if (isSameJson(before, after)) return [];
  return [
    nameOfFilter(before) === nameOfFilter(after) ? `Changed ${name}` : `Changed ${name} (was ${nameOfFilter(before)})`,
  ];
}

function toKindNoun(kind: WidgetKind): string {
  return traitsOf(kind).label.toLowerCase();
}

function toRenaming(before: Widget, after: Widget, name: string): string {
  if (before.title === "") return `Named ${name}`;
  if (after.title === "") return `Removed title ${nameOfWidget(before)} of ${toKindNoun(after.kind)}`;
  return `Renamed ${name} from ${nameOfWidget(before)}`;
}

/** An ID means nothing to people. */
function nameOfWidget({ title }: Widget): string {
  return title === "" ? "without a title" : `“${title}”`;
}

function nameOfDataset({ name }: Dataset): string {
  return `“${name}”`;
}

function nameOfFilter({ title, field }: Filter): string {
  return `“${title || field}”`;
}
