import "server-only";
import type { Caller } from "@/lib/access/caller";
import { findSampleConnectionId } from "@/lib/connections/service";
import { sampleDashboard } from "@/lib/sample/dashboard";
import { createDashboardBody } from "./schema";
import { createDashboard } from "./service";

/** Adds a dashboard over the sample shop to a new workspace, where it has the shop. */
export async function createSampleDashboard(caller: Caller): Promise<void> {
  const connectionId = await findSampleConnectionId(caller.workspaceId);
  if (!connectionId) return;
  await createDashboard(caller, createDashboardBody.parse(sampleDashboard(connectionId.toHexString())));
}
