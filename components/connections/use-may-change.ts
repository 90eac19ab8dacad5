"use client";

import { useWorkspace } from "@/components/layout/workspace-context";
import { useRights } from "@/components/settings/use-settings";
import type { Connection } from "@/lib/features/connections/schema";

/** Allows owners, admins and the creator to change and delete a connection (docs/develop/api.md, Connections). */
export function useMayChange(connection: Pick<Connection, "createdBy">): boolean {
  const { user } = useWorkspace();
  return useRights().isAdmin || connection.createdBy === user.id;
}
