"use client";

import { useWorkspace } from "@/components/layout/workspace-context";
import { useMemberNames } from "@/components/settings/use-settings";

/** Returns a function that names a person for the reader: "me", "Wanda", "former member". */
export function usePersonWords(): (userId: string) => string {
  const { user } = useWorkspace();
  const names = useMemberNames();
  return (userId) => (userId === user.id ? "me" : (names.get(userId) ?? "former member"));
}
