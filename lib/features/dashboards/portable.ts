import "server-only";
import { ObjectId } from "mongodb";
import { connectionsById, connectionsByName } from "@/lib/features/connections/service";
import { getConsoleDocsOrThrow } from "@/lib/features/consoles/service";
import { planMetrics } from "@/lib/features/metrics/query";
import type { Caller } from "@/lib/platform/access/caller";
import { AppError } from "@/lib/platform/http/errors";
import { readText, sourcesOf } from "./content";
import type { Dashboard, DashboardFile, ExportedDashboard, ImportDashboardBody, Source } from "./schema";
import { createDashboard, getDashboardDocOrThrow } from "./service";

type Query = Extract<Source, { connectionId: string }>;
type Exported = NonNullable<ExportedDashboard["datasets"]>[number]["source"];

/**
 * Returns a portable dashboard: connections by name, consoles by text, metrics by their SQL.
 * @throws AppError not_found; forbidden when it reads a console that the caller cannot see; conflict when a connection
 * or console that it reads is gone
 */
export async function exportDashboard(caller: Caller, dashboardId: ObjectId): Promise<ExportedDashboard> {
  const file = readText((await getDashboardDocOrThrow(caller, dashboardId)).content);
  const toExported = await exporter(caller, file);
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

async function exporter(caller: Caller, file: DashboardFile): Promise<(source: Source) => Exported> {
  const sources = sourcesOf(file).map(({ source }) => source);
  const consoleIds = sources.flatMap((source) => ("consoleId" in source ? [new ObjectId(source.consoleId)] : []));
  const consoles = await getConsoleDocsOrThrow(caller, consoleIds).catch((error: unknown) => {
    if (!(error instanceof AppError) || error.kind !== "not_found") throw error;
    throw new AppError(
      "conflict",
      "The dashboard uses a deleted or private console. Ask its owner to export it, or change the widget's source.",
      { cause: error },
    );
  });
  const queries = new Map<string, { connectionId: string | null; query: string; params?: undefined }>(
    consoles.map(({ _id, connectionId, content }) => [
      _id.toHexString(),
      { connectionId: connectionId?.toHexString() ?? null, query: content },
    ]),
  );
  const connectionIds = sources.flatMap((source) => ("connectionId" in source ? [source.connectionId] : []));
  const ofMetrics = sources.filter((source) => "metrics" in source);
  const planned = new Map<Source, { connectionId: string; query: string; params?: undefined }>(
    await Promise.all(
      ofMetrics.map(async (source) => {
        const { sql, connectionId } = await planMetrics(caller, source);
        return [source, { connectionId, query: sql }] as const;
      }),
    ),
  );
  for (const { connectionId } of planned.values()) connectionIds.push(connectionId);
  for (const { connectionId } of queries.values()) if (connectionId) connectionIds.push(connectionId);
  const names = distinctNames(
    await connectionsById(
      caller,
      connectionIds.map((id) => new ObjectId(id)),
    ),
  );
  const readOf = (source: Source) => {
    if ("connectionId" in source) return source;
    if ("metrics" in source) return planned.get(source);
    return "consoleId" in source ? queries.get(source.consoleId.toLowerCase()) : undefined;
  };
  return (source) => {
    const { connectionId, query, params } = readOf(source) ?? {};
    const connection = connectionId && names.get(connectionId.toLowerCase());
    if (connection && query) return { connection, query, ...(params !== undefined && { params }) };
    throw new AppError(
      "conflict",
      "The dashboard uses a deleted connection or an empty console. Change the source first.",
    );
  };
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
