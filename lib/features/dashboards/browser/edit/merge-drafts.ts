import { isSameJson } from "@/lib/base/values/same-json";
import { tabsOf } from "@/lib/features/dashboards/browser/tabs";
import { type Draft, listChanges, withKnownColumns } from "./draft";
import { settleTab } from "./layout";

export type Side = "mine" | "theirs";

/** A part of a dashboard that both sides changed differently. */
export type PartConflict = {
  /** The key of the part among all conflicts of a merge. */
  key: string;
  /** The changes of each side, in words. */
  mine: string[];
  theirs: string[];
};

type Merged = { draft: Draft; conflicts: PartConflict[] };
type Triple<T> = { base: T; mine: T; theirs: T };
type Part = { id: string };

const FIELDS = ["title", "description", "access"] as const;
const LISTS = ["datasets", "widgets", "filters"] as const;

/**
 * Merges two versions of a dashboard by parts: its fields, and each dataset, widget and filter. Positions of widgets
 * are no conflict: mine win, and others make room.
 * @param choices the side to keep of a conflict, by its key; default: mine
 */
export function mergeDrafts(
  base: Draft,
  mine: Draft,
  theirs: Draft,
  choices: Readonly<Record<string, Side>> = {},
): Merged {
  const conflicts: PartConflict[] = [];
  const decide = <T>(key: string, sides: Triple<T>, put: (draft: Draft, value: T) => Draft): T => {
    if (isSameJson(sides.mine, sides.base)) return sides.theirs;
    if (isSameJson(sides.theirs, sides.base) || isSameJson(sides.mine, sides.theirs)) return sides.mine;
    const before = put(base, sides.base);
    conflicts.push({
      key,
      mine: listChanges(before, put(base, sides.mine)),
      theirs: listChanges(before, put(base, sides.theirs)),
    });
    return choices[key] === "theirs" ? sides.theirs : sides.mine;
  };
  let draft = { ...mine };
  for (const name of FIELDS) {
    const sides = { base: base[name], mine: mine[name], theirs: theirs[name] };
    draft = { ...draft, [name]: decide<Draft[typeof name]>(name, sides, (of, value) => ({ ...of, [name]: value })) };
  }
  for (const name of LISTS) {
    const sides = { base: base[name], mine: mine[name], theirs: theirs[name] } as unknown as Triple<Part[]>;
    const list = mergeLists(sides, (id, parts) =>
      decide(`${name} ${id}`, parts, (of, part) => ({ ...of, [name]: withPart(of[name], id, part) })),
    );
    draft = { ...draft, [name]: list };
  }
  return { draft: repair(draft, [mine, theirs, base]), conflicts };
}

/** Merges lists of parts. The order is that of the side that changed it, mine if both did. */
function mergeLists(lists: Triple<Part[]>, decide: (id: string, sides: Triple<Part | null>) => Part | null): Part[] {
  const isMoved = !isSameJson(orderOf(lists.mine, lists.base), orderOf(lists.base, lists.mine));
  const [first, second] = isMoved ? [lists.mine, lists.theirs] : [lists.theirs, lists.mine];
  const ids = new Set([...first, ...second].map(({ id }) => id));
  return [...ids].flatMap((id) => {
    const [base, mine, theirs] = [lists.base, lists.mine, lists.theirs].map((list) =>
      list.find((part) => part.id === id),
    );
    // Positions are decided apart, so that a widget can be moved by one side and edited by the other.
    const at =
      layoutOf(isSameJson(layoutOf(mine), layoutOf(base)) ? theirs : mine) ?? layoutOf(mine) ?? layoutOf(theirs);
    const sides = { base: placed(base, at), mine: placed(mine, at), theirs: placed(theirs, at) };
    return decide(id, sides) ?? [];
  });
}

/** Returns the ids of a list that another one has too. */
function orderOf(list: Part[], other: Part[]): string[] {
  return list.flatMap(({ id }) => (other.some((part) => part.id === id) ? [id] : []));
}

function layoutOf(part: Part | undefined): unknown {
  return part && "layout" in part ? part.layout : undefined;
}

function placed(part: Part | undefined, layout: unknown): Part | null {
  if (!part) return null;
  return layout === undefined ? part : ({ ...part, layout } as Part);
}

function withPart(list: readonly Part[], id: string, part: Part | null): Part[] {
  const others = list.filter((each) => each.id !== id);
  return part === null ? others : [...others, part];
}

/** Makes a merged draft consistent: widgets have their datasets and no overlaps, and filters name no missing part. */
function repair(draft: Draft, from: readonly Draft[]): Draft {
  const datasets = [...draft.datasets];
  for (const { source } of draft.widgets) {
    if (!source || !("datasetId" in source) || datasets.some(({ id }) => id === source.datasetId)) continue;
    const found = from.flatMap((each) => each.datasets).find(({ id }) => id === source.datasetId);
    if (found) datasets.push(found);
  }
  const widgetIds = new Set(draft.widgets.map(({ id }) => id));
  const datasetIds = new Set(datasets.map(({ id }) => id));
  const filters = draft.filters.map((filter) => ({
    ...filter,
    exclude: filter.exclude.filter((id) => widgetIds.has(id)),
    datasets: filter.datasets === "all" ? ("all" as const) : filter.datasets.filter((id) => datasetIds.has(id)),
  }));
  const tabs = tabsOf(draft.widgets);
  const grids = tabs.length === 0 ? [null] : tabs;
  const widgets = grids.reduce((all, tab) => settleTab(all, tab), draft.widgets);
  return withKnownColumns({ ...draft, datasets, widgets, filters });
}
