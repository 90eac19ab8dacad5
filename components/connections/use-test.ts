"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useWorkspace } from "@/components/layout/workspace-context";
import { announce } from "@/components/ui/live-region";
import { connectionsApi } from "@/lib/features/connections/browser/client";

/** Tests a saved connection, then reloads the stored result. */
export function useTest(connectionId: string, name: string) {
  const { workspace } = useWorkspace();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: () => connectionsApi.test(workspace.id, connectionId),
    onSuccess: (outcome) => {
      if (outcome.ok) announce(`${name} connected in ${Math.round(outcome.latencyMs)} ms`);
      else announce(`${name} failed. ${outcome.error}`, true);
      return queryClient.invalidateQueries({ queryKey: ["connections", workspace.id] });
    },
  });
}
