"use client";

import { useRights } from "@/components/settings/use-settings";
import { useWorkspace } from "@/components/shell/workspace-context";
import type { Connection } from "@/lib/connections-client";

/** Owners, admins and whoever added a connection may change and delete it (contract, section 4). */
export function useMayChange(connection: Pick<Connection, "createdBy">): boolean {
  const { user } = useWorkspace();
  return useRights().isAdmin || connection.createdBy === user.id;
}
