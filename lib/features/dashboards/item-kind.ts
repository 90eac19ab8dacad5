import "server-only";
import { defineItemKind, type ItemKind, itemKindOf } from "@/lib/features/folders/item-kind";
import { dropDatasets } from "@/lib/features/results/datasets/service";
import { followDeletion } from "@/lib/features/runs/deletion";
import { removeSchedule } from "@/lib/features/runs/schedules/service";
import { cancelUnfinished } from "@/lib/features/runs/service";
import { dropShare } from "@/lib/features/shares/service";
import { collections } from "./collections";
import { fieldsOf, parseText, partsGone, readText, sourcesOf } from "./content";
import { dropFirstPages } from "./initial-view-cache";
import { type DashboardDoc, viewOwnerOf } from "./model";
import { RESOURCE_TYPE } from "./run-status";
import { refuseUnreadable } from "./sources";

export const ENDING = ".json";
/** Maximum number of dashboards: some for each member of a large team. */
const ITEMS_MAX = 2_000;

/** Dashboards, as a kind of file in folders. */
export const DASHBOARDS: ItemKind = defineItemKind({
  noun: "dashboard",
  root: "dashboards",
  endings: [ENDING],
  itemsMax: ITEMS_MAX,
  ...itemKindOf<DashboardDoc>({
    items: collections.dashboards,
    folders: collections.dashboardFolders,
    deleted: collections.deletedDashboards,
  }),
  async forget(workspaceId, id) {
    const resource = { workspaceId, resourceType: RESOURCE_TYPE, resourceId: id } as const;
    await removeSchedule({ workspaceId }, resource);
    await cancelUnfinished(resource, null);
    await followDeletion(resource);
    await dropShare({ workspaceId, kind: "dashboard", resourceId: id });
    // A restored dashboard reads its rows again.
    await dropDatasets({ workspaceId, kind: "dashboard", id });
    await dropDatasets(viewOwnerOf({ workspaceId, _id: id }));
    await dropFirstPages(workspaceId, id);
  },
  textsOf: async (_, docs) => new Map(docs.map(({ _id, content }) => [_id.toHexString(), content])),
  contentIn: (text) => text,
  toFields: async ({ text }): Promise<Partial<DashboardDoc>> => fieldsOf(readText(text)),
  async checkFile(caller, { text, before }) {
    const known = new Set(
      before ? sourcesOf(readText(before.content)).map(({ source }) => JSON.stringify(source)) : [],
    );
    const added = sourcesOf(readText(text)).filter(({ source }) => !known.has(JSON.stringify(source)));
    await refuseUnreadable(caller, before?.ownerId ?? caller.user._id, added);
  },
  async follow({ workspaceId, text, previous }, { id }) {
    const old = parseText(previous);
    const gone = old ? partsGone(old, readText(text)) : [];
    if (gone.length > 0) await dropDatasets({ workspaceId, kind: "dashboard", id }, gone);
  },
});
