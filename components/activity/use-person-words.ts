"use client";

import { useWorkspace } from "@/components/layout/workspace-context";
import { useMemberNames } from "@/components/settings/use-settings";

/** Who somebody is to the reader: "me", "Wanda", "somebody who has left". */
export function usePersonWords(): (userId: string) => string {
  const { user } = useWorkspace();
  const names = useMemberNames();
  return (userId) => (userId === user.id ? "me" : (names.get(userId) ?? "somebody who has left"));
}
