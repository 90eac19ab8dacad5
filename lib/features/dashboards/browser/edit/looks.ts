import type { ChartSettings } from "@/lib/base/charts/settings";
import { KIND_TRAITS, traitsOf, WIDGET_KINDS, type WidgetKind } from "@/lib/features/dashboards/kinds/traits";

/* Looks of widgets: most kinds have one, a chart has one for each mark. */

type Spec = Readonly<Record<string, unknown>>;
type KindSpec = { kind: WidgetKind; spec: Record<string, unknown> };
export type Look = { [K in WidgetKind]: keyof (typeof KIND_TRAITS)[K]["looks"] & string }[WidgetKind];

/** Looks in the order of the gallery. */
export const LOOKS = WIDGET_KINDS.flatMap((kind) => Object.keys(KIND_TRAITS[kind].looks)) as Look[];
export const LOOK_WORDS = Object.assign({}, ...WIDGET_KINDS.map((kind) => KIND_TRAITS[kind].looks)) as Readonly<
  Record<Look, string>
>;

export function kindOfLook(look: Look): WidgetKind {
  const kind = WIDGET_KINDS.find((each) => Object.hasOwn(KIND_TRAITS[each].looks, look));
  if (kind === undefined) throw new Error(`No widget kind has the look ${look}.`);
  return kind;
}

/** Returns the current look of a widget; "own" for a chart in plain Vega-Lite. */
export function lookOf(kind: WidgetKind, spec: Spec): Look | "own" {
  return traitsOf(kind).lookOf(spec) as Look | "own";
}

/** Returns a new widget of a look. */
export function startLook(look: Look): KindSpec {
  const kind = kindOfLook(look);
  return { kind, spec: traitsOf(kind).withLook({ ...traitsOf(kind).initial }, look) };
}

/** Changes the look of a widget and keeps its computed properties. */
export function withLook({ kind: from, spec }: { kind: WidgetKind; spec: Spec }, look: Look): KindSpec {
  const kind = kindOfLook(look);
  return { kind, spec: traitsOf(kind).withLook(traitsOf(from).toPlain(spec), look) };
}

/** Returns the properties of a widget that the server computes; a change of any other only affects the drawing. */
export function toComputed({ kind, spec }: { kind: WidgetKind; spec: Spec }): Record<string, unknown> {
  const { computed } = traitsOf(kind);
  return Object.fromEntries(computed.flatMap((name) => (spec[name] === undefined ? [] : [[name, spec[name]]])));
}

/** Converts a console's chart to a widget of the first kind that draws it. */
export function fromChart(settings: ChartSettings, stored: Spec): KindSpec {
  for (const kind of WIDGET_KINDS) {
    const spec = traitsOf(kind).fromChart?.(settings, stored) ?? null;
    if (spec !== null) return { kind, spec };
  }
  throw new Error(`No widget kind draws the chart ${settings.kind}.`);
}

/** Returns a widget that shows the rows of a console as they come. */
export function fromRows(): KindSpec {
  const kind = WIDGET_KINDS.find((each) => traitsOf(each).showsRows);
  if (kind === undefined) throw new Error("No widget kind shows rows.");
  return { kind, spec: {} };
}
