"use client";

import { useRights } from "@/components/workspace/use-settings";
import { useWorkspace } from "@/components/workspace/workspace-context";
import type { Connection } from "@/lib/features/connections/browser/client";

/** Owners, admins and whoever added a connection may change and delete it (docs/api.md, Connections). */
export function useMayChange(connection: Pick<Connection, "createdBy">): boolean {
  const { user } = useWorkspace();
  return useRights().isAdmin || connection.createdBy === user.id;
}
