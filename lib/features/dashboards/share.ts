import "server-only";
import { createHash } from "node:crypto";
import type { ObjectId } from "mongodb";
import type { Cube } from "@/lib/base/cubes/cube";
import type { ShareDoc, Shared } from "@/lib/features/shares/model";
import { answerOnce } from "@/lib/features/shares/responses";
import type { Share, ShareBody } from "@/lib/features/shares/schema";
import { dropShare, findShare, noSuchShare, putShare } from "@/lib/features/shares/service";
import type { FindShown } from "@/lib/features/shares/shown";
import { enterShare } from "@/lib/features/shares/unlock";
import type { Caller } from "@/lib/platform/access/caller";
import { isAtLeast } from "@/lib/platform/access/roles";
import { AppError } from "@/lib/platform/http/errors";
import { collections } from "./collections";
import { readText } from "./content";
import { readCubeOf } from "./cube";
import { parseValues, readDataOf, readValuesOf } from "./data";
import { publishDashboardEvent } from "./events";
import type { DashboardDoc } from "./model";
import { OWNER_LEFT } from "./parts";
import type { CubeQuery, DataQuery, Filter, FilterValues, SharedDashboard, ValuesQuery, WidgetData } from "./schema";
import { getDashboardDocOrThrow } from "./service";

const SHARER_LEFT = "The owner has left the workspace, so this data is unavailable.";
const UNREADABLE = "This data is unavailable. Contact the person who shared it.";

/** Returns the share of a dashboard; null when it was never shared. @throws AppError `not_found` */
export async function getDashboardShare(caller: Caller, dashboardId: ObjectId): Promise<Share | null> {
  return findShare(sharedOf(await getDashboardDocOrThrow(caller, dashboardId)));
}

/**
 * Shares a dashboard by a link. Its data is read with its owner's rights, so only the owner, an admin or an owner of
 * the workspace may share it publicly.
 * @throws AppError `not_found`, `forbidden`; `invalid_request` as `putShare`
 */
export async function putDashboardShare(caller: Caller, dashboardId: ObjectId, body: ShareBody): Promise<Share> {
  const doc = await getToShareOrThrow(caller, dashboardId);
  const share = await putShare(caller, sharedOf(doc), body);
  publishDashboardEvent(doc);
  return share;
}

/** Deletes the share of a dashboard, and its link. @throws AppError `not_found`, `forbidden` */
export async function removeDashboardShare(caller: Caller, dashboardId: ObjectId): Promise<void> {
  const doc = await getToShareOrThrow(caller, dashboardId);
  await dropShare(sharedOf(doc));
  publishDashboardEvent(doc);
}

/** Returns the public description of a shared dashboard; null when it is deleted. */
export const findShownDashboard: FindShown = async ({ workspaceId, resourceId }) => {
  const doc = await collections.dashboards().findOne({ _id: resourceId, workspaceId });
  return doc && { title: doc.title, description: doc.description, pictureId: null };
};

/**
 * Returns a dashboard as its link shows it, without its sources.
 * @throws AppError `not_found`; `unauthenticated` while it needs its password
 */
export async function readSharedDashboard(token: string, headers: Headers): Promise<SharedDashboard> {
  const doc = await getSharedOrThrow(await enterShare(token, headers));
  const { title, description, widgets, filters } = readText(doc.content);
  return {
    title,
    description,
    version: doc.version,
    widgets: widgets.map(({ id, kind, title: heading, spec, layout, tab }) => ({
      ...{ id, kind, title: heading, spec, layout },
      ...(tab !== undefined && { tab }),
    })),
    filters: filters.filter(isShared).map(({ id, kind, field, title: heading, exclude, default: standing }) => ({
      ...{ id, kind, field, title: heading, exclude },
      default: standing,
    })),
  };
}

/** Returns the data of its widgets. @throws AppError as `readSharedDashboard` and `readDataOf` */
export async function readSharedData(
  token: string,
  headers: Headers,
  query: Omit<DataQuery, "rows">,
): Promise<{ widgets: WidgetData[] }> {
  return answerShared(token, headers, "data", query, (doc, signal) => readDataOf(doc, query, signal, toStrangers));
}

/** Returns the cubes for clicks in one of its widgets. @throws AppError as `readSharedDashboard` and `readCubeOf` */
export async function readSharedCube(
  token: string,
  headers: Headers,
  widgetId: string,
  query: CubeQuery,
): Promise<Cube> {
  return answerShared(token, headers, `cube of ${widgetId}`, query, (doc, signal) =>
    readCubeOf(doc, widgetId, query, signal, toStrangers),
  );
}

/** Returns the values of one of its filters. @throws AppError as `readSharedDashboard` and `readValuesOf` */
export async function readSharedValues(
  token: string,
  headers: Headers,
  filterId: string,
  query: ValuesQuery,
): Promise<FilterValues> {
  return answerShared(token, headers, `values of ${filterId}`, query, (doc, signal) => {
    refuseUnshared(doc, [filterId]);
    return readValuesOf(doc, filterId, query, signal, toStrangers);
  });
}

/** A filter that fills a variable runs a query for each of its values: visitors see its default. */
function isShared({ variables }: Filter): boolean {
  return variables === undefined;
}

function refuseUnshared({ content }: DashboardDoc, ids: readonly string[]): void {
  const found = readText(content).filters.find((filter) => !isShared(filter) && ids.includes(filter.id));
  if (found)
    throw new AppError("invalid_request", `Filter “${found.id}” not found.`, { details: { filter: found.id } });
}

/** Answers a request for a shared dashboard, once for all visitors that ask the same. */
async function answerShared<T>(
  token: string,
  headers: Headers,
  what: string,
  query: Pick<DataQuery, "filters">,
  read: (doc: DashboardDoc, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const share = await enterShare(token, headers);
  const doc = await getSharedOrThrow(share);
  refuseUnshared(doc, Object.keys(parseValues(query.filters)));
  // Hashed, since filters may be half a megabyte.
  const key = createHash("sha256")
    .update(JSON.stringify([doc.version, what, query]))
    .digest("base64");
  return answerOnce(share._id, key, (signal) => read(doc, signal));
}

/** Hides a source's error from visitors, since it may name tables, connections and queries. */
function toStrangers(message: string): string {
  return message === OWNER_LEFT ? SHARER_LEFT : UNREADABLE;
}

async function getToShareOrThrow(caller: Caller, dashboardId: ObjectId): Promise<DashboardDoc> {
  const doc = await getDashboardDocOrThrow(caller, dashboardId);
  if (doc.ownerId.equals(caller.user._id) || isAtLeast(caller.role, "admin")) return doc;
  throw new AppError("forbidden", "Only the dashboard's owner, admins and workspace owners can share it by link.");
}

async function getSharedOrThrow({ workspaceId, resourceId }: ShareDoc): Promise<DashboardDoc> {
  const doc = await collections.dashboards().findOne({ _id: resourceId, workspaceId });
  if (!doc) throw noSuchShare();
  return doc;
}

function sharedOf({ _id, workspaceId }: DashboardDoc): Shared {
  return { workspaceId, kind: "dashboard", resourceId: _id };
}
