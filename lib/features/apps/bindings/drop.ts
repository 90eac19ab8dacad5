import "server-only";
import { dropDatasets } from "@/lib/features/results/datasets/service";
import { removeSchedule } from "@/lib/features/runs/schedules/service";
import { collections } from "../collections";
import { type OfApp, publishedOwner, RESOURCE_TYPE, workOwner } from "./places";

/**
 * Deletes the bindings of an app that is gone, with their schedules and rows, and ends running reads. Safe to repeat.
 */
export async function dropBindings(app: OfApp): Promise<void> {
  const { workspaceId, _id: appId } = app;
  const docs = await collections
    .appBindings()
    .find({ workspaceId, appId }, { projection: { _id: 1 } })
    .toArray();
  for (const { _id } of docs) await removeSchedule({ workspaceId }, { resourceType: RESOURCE_TYPE, resourceId: _id });
  await collections.appBindingSets().deleteMany({ workspaceId, appId });
  await dropDatasets(publishedOwner(app));
  await dropDatasets(workOwner(app));
  await collections.appBindings().deleteMany({ workspaceId, appId });
}
