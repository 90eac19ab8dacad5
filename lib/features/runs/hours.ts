import "server-only";
import { ObjectId } from "mongodb";
import type { Caller } from "@/lib/platform/access/caller";
import { collections } from "./collections";
import type { RunResource } from "./model";
import type { ResourceType, RunHours } from "./schema";
import type { OnlyVisible } from "./visible-page";

const HOUR_MS = 3_600_000;
const HOURS_SHOWN = 24;
/**
 * Maximum number of runs to count, more than a workspace normally has in a day. The oldest ones beyond it are not
 * counted.
 */
const RUNS_COUNTED_MAX = 20_000;

/**
 * Counts the runs that started in each of the last 24 hours, and how many of them failed. Excludes runs that the caller
 * cannot see.
 */
export async function countRunsByHour(
  caller: Caller,
  { resourceType }: { resourceType?: ResourceType | undefined },
  onlyVisible: OnlyVisible,
  now = new Date(),
): Promise<RunHours> {
  const first = Math.floor(now.getTime() / HOUR_MS) * HOUR_MS - (HOURS_SHOWN - 1) * HOUR_MS;
  const docs = await collections
    .runs()
    .find(
      {
        workspaceId: caller.workspaceId,
        ...(resourceType && { resourceType }),
        _id: { $gte: ObjectId.createFromTime(first / 1000) },
      },
      { projection: { resourceType: 1, resourceId: 1, status: 1, createdAt: 1 } },
    )
    .sort({ _id: -1 })
    .limit(RUNS_COUNTED_MAX + 1)
    .toArray();
  // Few resources have many runs, so visibility is checked once for each resource.
  const resources = new Map(docs.map((doc) => [keyOf(doc), doc]));
  const visible = new Set((await onlyVisible(caller, [...resources.values()])).map(keyOf));
  const hours = Array.from({ length: HOURS_SHOWN }, (_, index) => ({
    hour: new Date(first + index * HOUR_MS).toISOString(),
    count: 0,
    failed: 0,
  }));
  const types = new Map<ResourceType, RunHours["types"][number]>();
  for (const doc of docs.slice(0, RUNS_COUNTED_MAX)) {
    const hour = hours[Math.floor((doc.createdAt.getTime() - first) / HOUR_MS)];
    if (!hour || !visible.has(keyOf(doc))) continue;
    const type = types.get(doc.resourceType) ?? { resourceType: doc.resourceType, count: 0, failed: 0 };
    types.set(doc.resourceType, type);
    for (const counted of [hour, type]) {
      counted.count += 1;
      if (doc.status === "failure") counted.failed += 1;
    }
  }
  return { hours, types: [...types.values()], isWhole: docs.length <= RUNS_COUNTED_MAX };
}

function keyOf({ resourceType, resourceId }: Pick<RunResource, "resourceType" | "resourceId">): string {
  return `${resourceType} ${resourceId.toHexString()}`;
}
