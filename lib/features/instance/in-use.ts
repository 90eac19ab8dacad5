import "server-only";
import type { ObjectId } from "mongodb";
import { listBindingUses } from "@/lib/features/apps/bindings/uses";
import type { FindUses, Use } from "@/lib/features/connections/uses";
import { listScheduledUses } from "@/lib/features/consoles/schedule";
import { listDashboardUses } from "@/lib/features/dashboards/service";
import { listFlowUses } from "@/lib/features/flows/service";
import type { Caller } from "@/lib/platform/access/caller";

/**
 * Finders of objects that use connections (flows, dashboards, bindings, scheduled consoles); each such feature adds
 * one.
 */
const FINDERS: readonly FindUses[] = [listScheduledUses, listFlowUses, listDashboardUses, listBindingUses];

/** Lists all users of a connection. */
export async function listUses(caller: Caller, connectionId: ObjectId): Promise<Use[]> {
  return (await Promise.all(FINDERS.map((find) => find(caller, connectionId)))).flat();
}
