import "server-only";
import type { ObjectId } from "mongodb";
import type { Caller } from "@/lib/access/caller";
import { listBindingUses } from "@/lib/apps/bindings/uses";
import type { FindUses, Use } from "@/lib/connections/uses";
import { listScheduledUses } from "@/lib/consoles/schedule";
import { listDashboardUses } from "@/lib/dashboards/service";
import { listFlowUses } from "@/lib/flows/service";

/** Whoever holds on to connections (flows, dashboards, bindings, scheduled consoles) adds a line. */
const FINDERS: readonly FindUses[] = [listScheduledUses, listFlowUses, listDashboardUses, listBindingUses];

/** All that uses a connection. */
export async function listUses(caller: Caller, connectionId: ObjectId): Promise<Use[]> {
  return (await Promise.all(FINDERS.map((find) => find(caller, connectionId)))).flat();
}
