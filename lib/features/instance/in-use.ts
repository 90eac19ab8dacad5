import "server-only";
import { ObjectId } from "mongodb";
import { listBindingUses } from "@/lib/features/apps/bindings/uses";
import { type Connection, type ListedConnection, USE_COUNT_MAX } from "@/lib/features/connections/schema";
import type { FindUses, Use } from "@/lib/features/connections/uses";
import { listScheduledUses } from "@/lib/features/consoles/schedule";
import { countConsolesOn } from "@/lib/features/consoles/service";
import { listDashboardUses } from "@/lib/features/dashboards/service";
import { countFlowsOn, listFlowUses } from "@/lib/features/flows/service";
import type { Caller } from "@/lib/platform/access/caller";

/**
 * Finders of objects that use connections (flows, dashboards, bindings, scheduled consoles); each such feature adds
 * one.
 */
const FINDERS: readonly FindUses[] = [listScheduledUses, listFlowUses, listDashboardUses, listBindingUses];

/** Returns connections, each with the number of consoles and flows that use it and that the caller can see. */
export function withUses(caller: Caller, connections: readonly Connection[]): Promise<ListedConnection[]> {
  return Promise.all(
    connections.map(async (connection) => {
      const id = new ObjectId(connection.id);
      const [consoles, flows] = await Promise.all([
        countConsolesOn(caller, id, USE_COUNT_MAX),
        countFlowsOn(caller, id, USE_COUNT_MAX),
      ]);
      return { ...connection, uses: { consoles, flows } };
    }),
  );
}

/** Lists all users of a connection. */
export async function listUses(caller: Caller, connectionId: ObjectId): Promise<Use[]> {
  return (await Promise.all(FINDERS.map((find) => find(caller, connectionId)))).flat();
}
