import "server-only";
import { sampleDashboard } from "@/lib/features/connections/sample/dashboard";
import { findSampleConnectionId } from "@/lib/features/connections/service";
import type { Caller } from "@/lib/platform/access/caller";
import { createDashboardBody } from "./schema";
import { createDashboard } from "./service";

/** Adds a dashboard over the sample shop to a new workspace that has the shop. */
export async function createSampleDashboard(caller: Caller): Promise<void> {
  const connectionId = await findSampleConnectionId(caller.workspaceId);
  if (!connectionId) return;
  await createDashboard(caller, createDashboardBody.parse(sampleDashboard(connectionId.toHexString())));
}
