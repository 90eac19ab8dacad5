import { randomBytes } from "node:crypto";
import { ObjectId } from "mongodb";
import { mayRound, parseExactJson } from "@/lib/base/values/exact-json";
import { withDoubles } from "@/lib/base/values/exact-sources";
import { AppError } from "@/lib/platform/http/errors";
import { readsData } from "./kinds/traits";
import { GRID_ROWS_MAX } from "./limits";
import {
  type DashboardFile,
  dashboardFileSchema,
  type Filter,
  type Layout,
  type SentParts,
  type Source,
  type Widget,
} from "./schema";

/** Default size of a widget without a position, in cells of the grid. */
const PLACED = { w: 6, h: 4 };

/**
 * Returns the text of a dashboard's file. It is canonical and has a line for each value, so that git diffs are small.
 */
export function toText({ title, description, datasets, widgets, filters }: DashboardFile): string {
  return `${JSON.stringify({ title, description, datasets, widgets, filters }, null, 2)}\n`;
}

/** Reads a text written by `toText`. */
export function readText(text: string): DashboardFile {
  return parseFile(text) as DashboardFile;
}

/** Parses a file that Git clients may have written; null when it is not a dashboard. */
export function parseText(text: string | null): DashboardFile | null {
  if (text === null) return null;
  try {
    return dashboardFileSchema.safeParse(parseFile(text)).data ?? null;
  } catch {
    return null;
  }
}

/**
 * Parses a file. Sources and filters keep every digit of their numbers; specs are drawn with doubles.
 * @throws SyntaxError for text that is not JSON
 */
export function parseFile(text: string): unknown {
  if (!mayRound(text)) return JSON.parse(text);
  const file = parseExactJson(text);
  if (typeof file !== "object" || file === null || !("widgets" in file) || !Array.isArray(file.widgets)) return file;
  for (const widget of file.widgets) if (widget?.spec) widget.spec = withDoubles(widget.spec);
  return file;
}

/** Returns the fields of a document that follow from the dashboard's file. */
export function fieldsOf(file: DashboardFile) {
  const sources = sourcesOf(file).map(({ source }) => source);
  const metricsOf = (source: Source | null | undefined): string[] => {
    if (!source) return [];
    if ("datasetId" in source) return metricsOf(file.datasets.find(({ id }) => id === source.datasetId)?.source);
    return "metrics" in source ? source.metrics : [];
  };
  const ids = (all: string[]) => [...new Set(all.map((id) => id.toLowerCase()))].map((id) => new ObjectId(id));
  return {
    title: file.title,
    description: file.description,
    content: toText(file),
    connectionIds: ids(sources.flatMap((source) => ("connectionId" in source ? [source.connectionId] : []))),
    consoleIds: ids(sources.flatMap((source) => ("consoleId" in source ? [source.consoleId] : []))),
    metrics: [...new Set(sources.flatMap(metricsOf))],
    metricWidgets: file.widgets
      .map(({ id, title, source }) => ({ id, title, metrics: metricsOf(source) }))
      .filter(({ metrics }) => metrics.length > 0),
  };
}

/** Completes parts for storage: with an id, a position and a value for every optional property. */
export function complete(sent: SentParts): Partial<Pick<DashboardFile, "datasets" | "widgets" | "filters">> {
  return {
    ...(sent.datasets && {
      datasets: sent.datasets.map(({ id = newId(), name, source, maxAgeS, acceptTruncated }) => ({
        id,
        name,
        source,
        maxAgeS: maxAgeS ?? null,
        ...(acceptTruncated && { acceptTruncated }),
      })),
    }),
    ...(sent.widgets && { widgets: placed(sent.widgets) }),
    ...(sent.filters && {
      filters: sent.filters.map(
        ({
          id = newId(),
          kind,
          field,
          title,
          datasets = "all",
          exclude = [],
          columns = {},
          variables = {},
          ...rest
        }) => ({
          id,
          kind,
          field,
          title: title ?? null,
          datasets,
          exclude,
          ...(Object.keys(columns).length > 0 && { columns }),
          ...(Object.keys(variables).length > 0 && { variables }),
          default: rest.default ?? null,
        }),
      ),
    }),
  };
}

/**
 * Validates that the parts fit together.
 * @throws AppError invalid_request, naming each place
 */
export function refuseUnfit({ datasets, widgets, filters }: DashboardFile): void {
  const details: { path: string; message: string }[] = [];
  const refuse = (path: string, message: string) => details.push({ path, message });
  for (const [name, parts] of Object.entries({ datasets, widgets, filters })) {
    const seen = new Set<string>();
    for (const [index, { id }] of parts.entries()) {
      if (seen.has(id)) refuse(`${name}.${index}.id`, `“${id}” is a duplicate ID.`);
      seen.add(id);
    }
  }
  const datasetIds = new Set(datasets.map(({ id }) => id));
  const widgetIds = new Set(widgets.map(({ id }) => id));
  for (const [index, { kind, source }] of widgets.entries()) {
    const path = `widgets.${index}.source`;
    if (readsData({ kind }) && !source) refuse(path, "source is required, except for text widgets.");
    if (source && "datasetId" in source && !datasetIds.has(source.datasetId)) {
      refuse(path, `Dataset “${source.datasetId}” not found.`);
    }
  }
  for (const [index, filter] of filters.entries()) {
    const missing = filter.datasets === "all" ? [] : filter.datasets.filter((id) => !datasetIds.has(id));
    for (const id of missing) refuse(`filters.${index}.datasets`, `Dataset “${id}” not found.`);
    for (const id of filter.exclude.filter((each) => !widgetIds.has(each))) {
      refuse(`filters.${index}.exclude`, `Widget “${id}” not found.`);
    }
    const ofOwn = widgets.filter(({ source }) => source && !("datasetId" in source)).map(({ id }) => id);
    for (const id of Object.keys(filter.columns ?? {})) {
      if (datasetIds.has(id) || ofOwn.includes(id)) continue;
      refuse(`filters.${index}.columns.${id}`, `No dataset or widget with its own source has the ID “${id}”.`);
    }
    for (const [id, names] of Object.entries(filter.variables ?? {})) {
      const problem = findVariableProblem({ datasets, widgets }, filter, id, names);
      if (problem) refuse(`filters.${index}.variables.${id}`, problem);
    }
  }
  if (details.length === 0) return;
  throw new AppError("invalid_request", details[0]?.message ?? "", { details });
}

/** Returns the reason why a filter cannot fill these variables; null if it can. @param id of a dataset or a widget */
function findVariableProblem(
  { datasets, widgets }: Pick<DashboardFile, "datasets" | "widgets">,
  { kind, exclude }: Filter,
  id: string,
  { value, from, to }: NonNullable<Filter["variables"]>[string],
): string | null {
  const source = [...datasets, ...widgets].find((each) => each.id === id)?.source;
  if (!source || !("consoleId" in source)) return `No dataset or widget with the ID “${id}” reads a console.`;
  if (kind === "multiSelect") return "A multi-select filter cannot fill a variable. Use a single select.";
  const isRange = kind === "dateRange";
  if ((value !== undefined) === isRange || ((from ?? to) === undefined) === isRange) {
    return isRange ? "A date range fills the variables from and to." : "This filter fills the variable value.";
  }
  // All widgets of a dataset show the same rows.
  const spared = widgets.find((widget) => exclude.includes(widget.id) && partIdOf(widget) === id);
  return spared ? `The filter fills a variable of “${spared.title || spared.id}”, so it cannot exclude it.` : null;
}

function partIdOf({ id, source }: Pick<Widget, "id" | "source">): string {
  return source && "datasetId" in source ? source.datasetId : id;
}

/** Returns all sources of a dashboard: those of its datasets, and those that widgets define inline. */
export function sourcesOf({ datasets, widgets }: Pick<DashboardFile, "datasets" | "widgets">): {
  path: string;
  source: Source;
}[] {
  return [
    ...datasets.map(({ source }, index) => ({ path: `datasets.${index}.source`, source })),
    ...widgets.flatMap(({ source }, index) => (source ? [{ path: `widgets.${index}.source`, source }] : [])),
  ].filter(({ source }) => !("datasetId" in source));
}

/** Returns the name of a widget's rows in the cache: the dataset that it names, or the widget itself. */
export function partNameOf({ id, source }: Pick<Widget, "id" | "source">): string {
  return source && "datasetId" in source ? `dataset:${source.datasetId}` : `widget:${id}`;
}

/** Returns the names of cached parts that one file has and the other lacks: of removed datasets and widgets. */
export function partsGone(before: DashboardFile, after: DashboardFile): string[] {
  const namesOf = ({ datasets, widgets }: DashboardFile) => [
    ...datasets.map(({ id }) => partNameOf({ id: "", source: { datasetId: id } })),
    ...widgets.map(partNameOf),
  ];
  const still = new Set(namesOf(after));
  return [...new Set(namesOf(before))].filter((name) => !still.has(name));
}

function placed(sent: NonNullable<SentParts["widgets"]>): Widget[] {
  let below = Math.max(0, ...sent.map(({ layout }) => (layout ? layout.y + layout.h : 0)));
  return sent.map(({ id = newId(), kind, title, source, spec, layout, tab, acceptTruncated }) => {
    const place: Layout = layout ?? { x: 0, y: Math.min(below, GRID_ROWS_MAX), ...PLACED };
    if (!layout) below += PLACED.h;
    return {
      id,
      kind,
      title: title ?? "",
      source: source ?? null,
      spec: withDoubles(spec ?? {}),
      layout: place,
      ...(tab && { tab }),
      ...(acceptTruncated && { acceptTruncated }),
    };
  });
}

function newId(): string {
  return randomBytes(6).toString("hex");
}
