import "server-only";
import { ObjectId } from "mongodb";
import { callerOfJob } from "@/lib/features/accounts/identity";
import { getConnectionDocOrThrow } from "@/lib/features/connections/service";
import { getConsoleDocOrThrow } from "@/lib/features/consoles/service";
import type { VariableDefaults } from "@/lib/features/consoles/settings-schema";
import { accessOf } from "@/lib/features/folders/model";
import { bindConsole } from "@/lib/features/metrics/in-sql";
import { planMetrics } from "@/lib/features/metrics/query";
import type { QueryOrigin } from "@/lib/features/query/model";
import { typedValue, type VariableValue } from "@/lib/features/query/schema";
import type { DatasetSource } from "@/lib/features/results/datasets/service";
import type { Caller } from "@/lib/platform/access/caller";
import { AppError } from "@/lib/platform/http/errors";
import { messageOf } from "@/lib/platform/http/to-app-error";
import { partNameOf } from "./content";
import type { MetricGroups } from "./metric-totals";
import type { DashboardDoc } from "./model";
import type { DashboardFile, Source, Widget } from "./schema";

/** The source of a widget: the dataset that it names, or its inline source, treated as a dataset. */
export type Part = {
  name: string;
  /** Name shown to users. */
  title: string;
  source: Exclude<Source, { datasetId: string }>;
  maxAgeS: number | null;
  /** Totals are shown although the rows were truncated. */
  acceptTruncated: boolean;
  /** Values of the page's filters for variables of the console that is the source; null for an empty filter. */
  variables?: Readonly<Record<string, Filled>>;
};
/** Value of a filter for a variable. */
export type Filled = string | number | boolean | { type: "date"; value: string } | null;

/** Maximum number of sources of one dashboard read at once. */
export const READS_AT_ONCE = 4;
export const OWNER_LEFT =
  "The dashboard's owner is no longer a member, so its data can't be read. Duplicate it to become the owner.";

/** Returns the parts that these widgets read, each once. */
export function partsOf(file: DashboardFile, widgets: readonly Widget[]): Part[] {
  const parts = new Map<string, Part>();
  for (const widget of widgets) {
    const { source } = widget;
    if (!source) continue;
    if (!("datasetId" in source)) {
      const name = partNameOf(widget);
      const { acceptTruncated = false } = widget;
      parts.set(name, { name, title: widget.title || "A widget", source, maxAgeS: null, acceptTruncated });
    } else {
      const dataset = file.datasets.find(({ id }) => id === source.datasetId);
      if (dataset) parts.set(partNameOf(widget), partOf(dataset));
    }
  }
  return [...parts.values()];
}

/** Returns all parts of a dashboard, including those that no widget shows yet. */
export function allPartsOf(file: DashboardFile): Part[] {
  const datasets = file.datasets.map(partOf);
  const known = new Set(datasets.map(({ name }) => name));
  return [...datasets, ...partsOf(file, file.widgets).filter(({ name }) => !known.has(name))];
}

function partOf({ id, name, source, maxAgeS, acceptTruncated = false }: DashboardFile["datasets"][number]): Part {
  const partName = partNameOf({ id: "", source: { datasetId: id } });
  return { name: partName, title: name, source, maxAgeS: maxAgeS ?? null, acceptTruncated };
}

/** Returns the user who reads a dashboard's data: its owner. Null when they have left. */
export function readerOf({ _id, workspaceId, ownerId }: DashboardDoc): Promise<Caller | null> {
  return callerOfJob(workspaceId, ownerId, _id);
}

/**
 * Returns the current connection and statement of a source.
 * @param origin the dashboard or draft that contains the part
 * @throws AppError when the owner cannot see or run the source
 */
export async function resolvePart(
  reader: Caller,
  { source, variables: filled = {} }: Pick<Part, "source" | "variables">,
  origin: QueryOrigin,
): Promise<DatasetSource & { groups?: MetricGroups }> {
  if ("connectionId" in source) {
    const connection = await getConnectionDocOrThrow(reader, new ObjectId(source.connectionId));
    const { query, params } = source;
    return { connection, origin, statement: { query, ...(params && { params }) } };
  }
  if ("metrics" in source) {
    const { sql, connectionId, unsummable } = await planMetrics(reader, source);
    const connection = await getConnectionDocOrThrow(reader, new ObjectId(connectionId));
    const groups = { dimensions: source.dimensions ?? [], unsummable };
    return { connection, origin, statement: { query: sql }, groups };
  }
  const {
    _id,
    space,
    content,
    connectionId,
    variables = {},
  } = await getConsoleDocOrThrow(reader, new ObjectId(source.consoleId));
  if (!connectionId) throw new AppError("invalid_request", "The console has no connection. Select one and save.");
  const connection = await getConnectionDocOrThrow(reader, connectionId);
  const values = withFilled(variables, filled);
  const { query, params, names } = await bindConsole(reader, connection, { content, values });
  const unknown = Object.keys(filled).find((name) => !names.has(name));
  if (unknown !== undefined) {
    throw new AppError(
      "invalid_request",
      `The console has no variable {{${unknown}}}. Change the filter or the console.`,
    );
  }
  const console = { id: _id, isPrivate: accessOf(space) === "private" };
  const ofBoth = origin.kind === "dashboard" ? { ...origin, console } : origin;
  return { connection, origin: ofBoth, statement: { query, ...(params && { params }) } };
}

/** Returns the values of a console's variables. An empty filter leaves the default value, or else null. */
function withFilled(defaults: VariableDefaults, filled: NonNullable<Part["variables"]>): Record<string, VariableValue> {
  const given = Object.entries(filled).flatMap(([name, value]): [string, VariableValue][] => {
    if (value === null) return Object.hasOwn(defaults, name) ? [] : [[name, null]];
    const usual = Object.hasOwn(defaults, name) ? defaults[name] : undefined;
    const type = typeof usual === "object" ? usual.type : typeof usual;
    // Dates and long numbers of a list of values are text.
    const typed = typeof value === "string" ? typedValue.safeParse({ type, value }) : null;
    return [[name, typed?.success ? typed.data : value]];
  });
  return { ...defaults, ...Object.fromEntries(given) };
}

/** Returns the origin of a dashboard's queries. */
export function originOf({ _id, space }: Pick<DashboardDoc, "_id" | "space">): QueryOrigin {
  return { kind: "dashboard", id: _id, isPrivate: accessOf(space) === "private" };
}

/** Returns an error message for users. */
export function wordsOf(error: unknown): string {
  return messageOf(
    error,
    "a widget could not be computed because of an internal error",
    "Internal error. See the server log.",
  );
}
