import "server-only";
import type { ObjectId } from "mongodb";
import { isSameJson } from "@/lib/base/values/same-json";
import { driverOf } from "@/lib/features/connections/drivers/registry";
import { getConnectionDocOrThrow } from "@/lib/features/connections/service";
import { CONSOLES } from "@/lib/features/consoles/item-kind";
import type { ConsoleDoc } from "@/lib/features/consoles/model";
import { parseText } from "@/lib/features/dashboards/content";
import { DASHBOARDS } from "@/lib/features/dashboards/item-kind";
import { readsData } from "@/lib/features/dashboards/kinds/traits";
import { previewDashboard } from "@/lib/features/dashboards/preview";
import type { DashboardFile, PreviewBody, Widget } from "@/lib/features/dashboards/schema";
import { WORKSPACE_SPACE } from "@/lib/features/folders/model";
import { expandMetrics } from "@/lib/features/metrics/in-sql";
import { runQuery } from "@/lib/features/query/service";
import { bindVariables, inSource } from "@/lib/features/query/variables";
import { type ChangedBlobs, findHead, MAIN_BRANCH, readBlob } from "@/lib/features/repository/service";
import { type Caller, isReadOnly } from "@/lib/platform/access/caller";
import { AppError } from "@/lib/platform/http/errors";
import { withKeyedLock } from "@/lib/platform/http/keyed-lock";
import { serverMember } from "@/lib/platform/process/server-context";
import { diffRows, type ResultSide } from "./row-diff";
import type { CompareBody, Comparison } from "./schema";
import { changesOf, findReviewOrThrow } from "./service";

/** Rows of each version that are compared. */
const ROWS_MAX = 1_000;
/** Errors of one version's query, which are shown beside the other version's result. */
const QUERY_ERRORS: ReadonlySet<string> = new Set([
  ...["query_failed", "read_only", "not_allowed"],
  // A metric without an answer.
  "invalid_request",
]);

/** A comparison of a review that follows a pull request, to be shown there. */
export type PublishedComparison = {
  workspaceId: ObjectId;
  pullNumber: number;
  /** Head of the compared review. */
  sha: string;
  path: string;
  parts: Comparison["parts"];
};
export type Publisher = (comparison: PublishedComparison) => Promise<void>;

const publishing = serverMember("publishedComparisons", () => ({ publisher: null as Publisher | null }));

/** Registers the function that shows comparisons at a pull request. Called once at start. */
export function publishComparisonsBy(publisher: Publisher): void {
  publishing().publisher = publisher;
}

type Compared = { caller: Caller; change: ChangedBlobs; texts: { before: string | null; after: string | null } };

/**
 * Runs both versions of a changed console or dashboard, read-only and with the caller's rights, and compares their
 * rows. A caller's comparisons run one after another. The numbers of rows are published only if the caller asks for it.
 * @throws AppError not_found; forbidden for a read-only key that publishes; invalid_request for a file without data, and for a console without a connection; as
 * `runQuery`
 */
export async function compareReview(
  caller: Caller,
  name: string,
  body: CompareBody,
  signal: AbortSignal,
): Promise<Comparison> {
  const { workspaceId, user } = caller;
  const head = await findReviewOrThrow(workspaceId, name);
  const { changes } = await changesOf(workspaceId, head, await findHead(workspaceId, MAIN_BRANCH));
  const change = changes.find(({ path }) => path === body.path);
  if (!change) throw new AppError("not_found", "The review does not change this file.");
  const { path } = change;
  const { pullRequest } = head;
  if (body.publish && !pullRequest) throw refusal("publish", "This review follows no pull request.");
  if (body.publish && isReadOnly(caller)) {
    throw new AppError("forbidden", "This API key is read-only. Use a full-access key to publish.");
  }
  const read = async (oid: string | null) =>
    oid === null ? null : (await readBlob(workspaceId, oid)).toString("utf8");
  const comparison = await withKeyedLock(`compare:${workspaceId.toHexString()}/${user._id.toHexString()}`, async () => {
    signal.throwIfAborted();
    const texts = { before: await read(change.before), after: await read(change.after) };
    const compared = { caller, change, texts };
    if (path.startsWith(`${CONSOLES.root}/`)) return compareConsoles(compared, body.variables ?? {}, signal);
    if (path.startsWith(`${DASHBOARDS.root}/`)) return compareDashboards(compared, signal);
    throw refusal("path", "Only consoles and dashboards can be compared.");
  });
  if (body.publish && pullRequest) {
    const { parts } = comparison;
    await publishing().publisher?.({ workspaceId, pullNumber: pullRequest.number, sha: head.oid, path, parts });
  }
  return comparison;
}

async function compareConsoles(
  { caller, change, texts }: Compared,
  variables: NonNullable<CompareBody["variables"]>,
  signal: AbortSignal,
): Promise<Comparison> {
  const { workspaceId } = caller;
  const { path, previousPath } = change;
  const doc = (await CONSOLES.items().findOne({
    workspaceId,
    space: WORKSPACE_SPACE,
    file: previousPath ?? path,
  })) as ConsoleDoc | null;
  const fieldsOf = async (text: string | null) =>
    text === null
      ? null
      : ((await CONSOLES.toFields({ workspaceId, path, text, previous: null, before: doc })) as Partial<ConsoleDoc>);
  const [before, after] = [await fieldsOf(texts.before), await fieldsOf(texts.after)];
  const connectionId = after?.connectionId ?? before?.connectionId ?? doc?.connectionId ?? null;
  if (!connectionId) {
    throw refusal("path", "This console has no connection. Add one to its front matter.");
  }
  const run = async (fields: Partial<ConsoleDoc> | null) =>
    fields ? runText(caller, connectionId, fields.content ?? "", { ...fields.variables, ...variables }, signal) : null;
  // One after the other: a reviewer's queries must not crowd out others.
  const sides = [await run(before), await run(after)] as const;
  const title = path.slice(CONSOLES.root.length + 1);
  return { kind: "console", parts: [{ id: path, title, ...diffRows(...sides) }] };
}

async function runText(
  caller: Caller,
  connectionId: ObjectId,
  content: string,
  variables: NonNullable<CompareBody["variables"]>,
  signal: AbortSignal,
): Promise<ResultSide> {
  if (content.trim() === "") return failed("The console is empty.");
  const connection = await getConnectionDocOrThrow(caller, connectionId);
  let bound = await bindVariables(content, driverOf(connection.type), variables, connection.workspaceId);
  try {
    bound = await expandMetrics(caller, connection, bound);
    const { query, params } = bound;
    const { fields, rows, truncated } = await runQuery(caller, {
      connection,
      origin: { kind: "adhoc", id: null },
      statement: { query, params },
      limit: ROWS_MAX,
      readOnly: true,
      signal,
    });
    return { fields, rows, truncated, error: null };
  } catch (error) {
    const shown = inSource(error, content, bound);
    if (shown instanceof AppError && QUERY_ERRORS.has(shown.kind)) return failed(shown.message);
    throw shown;
  }
}

async function compareDashboards({ caller, texts }: Compared, signal: AbortSignal): Promise<Comparison> {
  const before = parseText(texts.before);
  const after = parseText(texts.after);
  const ids = changedWidgets(before, after);
  const read = async (version: DashboardFile | null) => {
    const widgets = version?.widgets.filter(({ id }) => ids.has(id)) ?? [];
    if (!version || widgets.length === 0) return new Map<string, ResultSide>();
    // A file on a branch has been validated, so its filters have the form of a request's.
    const filters = version.filters.map((filter) => ({
      ...filter,
      exclude: filter.exclude.filter((id) => ids.has(id)),
    })) as PreviewBody["filters"];
    const preview = await previewDashboard(
      caller,
      {
        ...{ datasets: version.datasets, widgets, filters },
        ...{ values: {}, timezone: "UTC" },
      },
      signal,
    );
    return new Map(
      preview.widgets.map(({ id, fields, rows, truncated, error = null }): [string, ResultSide] => [
        id,
        { fields, rows: rows.slice(0, ROWS_MAX), truncated: truncated || rows.length > ROWS_MAX, error },
      ]),
    );
  };
  const old = await read(before);
  const now = await read(after);
  const parts = [...ids].map((id) => ({
    id,
    title: (after ?? before)?.widgets.find((widget) => widget.id === id)?.title || id,
    ...diffRows(old.get(id) ?? null, now.get(id) ?? null),
  }));
  return { kind: "dashboard", parts };
}

/** Returns the ids of the widgets with data that differ, by themselves or by the dataset that they read. */
function changedWidgets(before: DashboardFile | null, after: DashboardFile | null): Set<string> {
  const isFilterChanged = !isSameJson(before?.filters ?? null, after?.filters ?? null);
  const contentOf = (file: DashboardFile | null, id: string) => {
    const widget = file?.widgets.find((each) => each.id === id);
    if (!file || !widget) return null;
    // Where a widget is on the page does not change its numbers.
    const { layout: _, ...rest } = widget;
    return { ...rest, dataset: datasetOf(file, widget) };
  };
  const widgets = [...(after?.widgets ?? []), ...(before?.widgets ?? [])].filter(readsData);
  const changed = widgets.filter(
    ({ id }) => (before && after && isFilterChanged) || !isSameJson(contentOf(before, id), contentOf(after, id)),
  );
  return new Set(changed.map(({ id }) => id));
}

function datasetOf(file: DashboardFile, { source }: Widget): unknown {
  if (source === null || !("datasetId" in source)) return null;
  return file.datasets.find(({ id }) => id === source.datasetId) ?? null;
}

function failed(error: string): ResultSide {
  return { fields: [], rows: [], truncated: false, error };
}

function refusal(path: string, message: string): AppError {
  return new AppError("invalid_request", message, { details: [{ path, message }] });
}
