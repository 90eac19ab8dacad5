import "server-only";
import { ObjectId } from "mongodb";
import { connectionsById, connectionsByName } from "@/lib/features/connections/service";
import { getConsoleDocsOrThrow } from "@/lib/features/consoles/service";
import { planMetrics } from "@/lib/features/metrics/query";
import type { Caller } from "@/lib/platform/access/caller";
import { AppError } from "@/lib/platform/http/errors";
import { Semaphore } from "@/lib/platform/process/semaphore";
import { readText, sourcesOf } from "./content";
import { fillDefaults } from "./filter-variables";
import { DATASETS_MAX, WIDGETS_MAX } from "./limits";
import type { DashboardDoc } from "./model";
import { allPartsOf, originOf, type Part, READS_AT_ONCE, resolvePart } from "./parts";
import type { Dashboard, DashboardFile, ExportedDashboard, ImportDashboardBody, Source } from "./schema";
import { createDashboard, getDashboardDocOrThrow } from "./service";

type Query = Extract<Source, { connectionId: string }>;
type Exported = NonNullable<ExportedDashboard["datasets"]>[number]["source"];

/**
 * Returns a portable dashboard: connections by name, consoles by text, metrics by their SQL. Variables of consoles become
 * parameters with the values that a reader sees first: the default of a filter, or else of the console.
 * @throws AppError not_found; conflict when a connection or console that it reads is gone or hidden from the caller, or
 * a variable has no value
 */
export async function exportDashboard(caller: Caller, dashboardId: ObjectId): Promise<ExportedDashboard> {
  const doc = await getDashboardDocOrThrow(caller, dashboardId);
  const file = readText(doc.content);
  const toExported = await exporter(caller, doc, file);
  return {
    title: file.title,
    description: file.description,
    datasets: file.datasets.map((dataset) => ({ ...dataset, source: toExported(dataset.source) })),
    widgets: file.widgets.map((widget) => {
      const { source } = widget;
      return { ...widget, source: source && "datasetId" in source ? source : source && toExported(source) };
    }),
    // Consoles are exported as plain queries, which filters cannot fill.
    filters: file.filters.map(({ variables: _, ...filter }) => filter) as ExportedDashboard["filters"],
  };
}

/**
 * Creates a dashboard from an export of this or another server.
 * @throws AppError invalid_request with the names of connections that are unknown here or ambiguous; as
 * `createDashboard`
 */
export async function importDashboard(caller: Caller, body: ImportDashboardBody): Promise<Dashboard> {
  const { dashboard, connections = {}, folderId, access } = body;
  const { datasets = [], widgets = [] } = dashboard;
  const named = [...datasets, ...widgets].flatMap(({ source }) =>
    source && "connection" in source ? [source.connection] : [],
  );
  const ids = await resolve(caller, [...new Set(named)], connections);
  const toSource = ({ connection, ...rest }: Exported): Query => ({ connectionId: ids.get(connection) ?? "", ...rest });
  const made = createDashboard(caller, {
    title: dashboard.title,
    description: dashboard.description,
    folderId,
    access,
    datasets: datasets.map((dataset) => ({ ...dataset, source: toSource(dataset.source) })),
    widgets: widgets.map((widget) => ({
      ...widget,
      source: widget.source && "connection" in widget.source ? toSource(widget.source) : widget.source,
    })),
    filters: dashboard.filters,
  });
  return made.catch((error: unknown) => {
    throw inBody(error);
  });
}

/** Adapts the paths of an error: this body nests the dashboard one level deeper than that of a new one. */
function inBody(error: unknown): unknown {
  if (!(error instanceof AppError) || error.kind !== "invalid_request" || !Array.isArray(error.details)) return error;
  const details = (error.details as { path: string; message: string }[]).map(({ path, message }) => {
    return { path: /^(?:datasets|widgets|filters)\b/.test(path) ? `dashboard.${path}` : path, message };
  });
  return new AppError("invalid_request", error.message, { details, cause: error });
}

/** Statement of a source, on the connection with this ID. */
type Read = { connectionId: string } & Pick<Query, "query" | "params">;

async function exporter(caller: Caller, doc: DashboardDoc, file: DashboardFile): Promise<(source: Source) => Exported> {
  const sources = sourcesOf(file).map(({ source }) => source);
  const bound = await bindConsoles(caller, doc, file);
  const connectionIds = sources.flatMap((source) => ("connectionId" in source ? [source.connectionId] : []));
  const ofMetrics = sources.filter((source) => "metrics" in source);
  const planned = new Map<Source, Read>(
    await Promise.all(
      ofMetrics.map(async (source) => {
        const { sql, connectionId } = await planMetrics(caller, source);
        return [source, { connectionId, query: sql }] as const;
      }),
    ),
  );
  for (const { connectionId } of [...planned.values(), ...bound.values()]) connectionIds.push(connectionId);
  const names = distinctNames(
    await connectionsById(
      caller,
      connectionIds.map((id) => new ObjectId(id)),
    ),
  );
  const readOf = (source: Source) => {
    if ("connectionId" in source) return source;
    return "metrics" in source ? planned.get(source) : bound.get(source);
  };
  return (source) => {
    const { connectionId, query, params } = readOf(source) ?? {};
    const connection = connectionId && names.get(connectionId.toLowerCase());
    if (connection && query) return { connection, query, ...(params !== undefined && { params }) };
    throw unreadable();
  };
}

function unreadable(cause?: unknown): AppError {
  return new AppError(
    "conflict",
    "The dashboard uses a deleted connection or an empty console. Change the source first.",
    { cause },
  );
}

/** Returns the statement of each console that a dashboard reads, with its variables bound. */
async function bindConsoles(caller: Caller, doc: DashboardDoc, file: DashboardFile): Promise<Map<Source, Read>> {
  const parts = fillDefaults(file.filters, new Date(), allPartsOf(file)).filter(({ source }) => "consoleId" in source);
  await refuseHidden(caller, parts);
  const reads = new Semaphore(READS_AT_ONCE, DATASETS_MAX + WIDGETS_MAX);
  const bind = async (part: Part): Promise<[Source, Read]> => {
    const release = await reads.acquire();
    try {
      const { connection, statement } = await resolvePart(caller, part, originOf(doc));
      return [part.source, { connectionId: connection._id.toHexString(), ...statement }];
    } catch (error) {
      if (!(error instanceof AppError) || error.kind === "conflict") throw error;
      if (error.kind === "not_found") throw unreadable(error);
      throw new AppError("conflict", `${part.title}: ${error.message}`, { cause: error });
    } finally {
      release();
    }
  };
  return new Map(await Promise.all(parts.map(bind)));
}

/** @throws AppError conflict if the caller cannot see a console */
async function refuseHidden(caller: Caller, parts: readonly Part[]): Promise<void> {
  const ids = parts.flatMap(({ source }) => ("consoleId" in source ? [new ObjectId(source.consoleId)] : []));
  await getConsoleDocsOrThrow(caller, ids).catch((error: unknown) => {
    if (!(error instanceof AppError) || error.kind !== "not_found") throw error;
    throw new AppError(
      "conflict",
      "The dashboard uses a deleted or private console. Ask its owner to export it, or change the widget's source.",
      { cause: error },
    );
  });
}

/** Returns names by id; of connections that share a name, the later ones get a number. */
function distinctNames(connections: readonly { id: string; name: string }[]): Map<string, string> {
  const names = new Map<string, string>();
  const taken = new Set<string>();
  for (const { id, name } of connections) {
    let label = name;
    for (let n = 2; taken.has(label); n++) label = `${name} (${n})`;
    taken.add(label);
    names.set(id, label);
  }
  return names;
}

async function resolve(
  caller: Caller,
  names: readonly string[],
  chosen: Record<string, string>,
): Promise<Map<string, string>> {
  const ids = new Map<string, string>();
  const details: { path: string; message: string }[] = [];
  const asked = names.flatMap((name) => (Object.hasOwn(chosen, name) ? [new ObjectId(chosen[name])] : []));
  const known = new Set((await connectionsById(caller, asked)).map(({ id }) => id));
  const byName = await connectionsByName(
    caller,
    names.filter((name) => !Object.hasOwn(chosen, name)),
  );
  for (const name of names) {
    const fitting = Object.hasOwn(chosen, name)
      ? [String(chosen[name]).toLowerCase()].filter((id) => known.has(id))
      : byName.filter((each) => each.name === name).map(({ id }) => id);
    const [id, another] = fitting;
    if (id && !another) ids.set(name, id);
    else {
      const what = another ? "Multiple connections are" : "No connection is";
      details.push({ path: `connections.${name}`, message: `${what} named “${name}”. Select one.` });
    }
  }
  if (details.length === 0) return ids;
  throw new AppError("invalid_request", details.map(({ message }) => message).join(" "), { details });
}
