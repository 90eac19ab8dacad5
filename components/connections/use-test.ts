"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { announce } from "@/components/ui/live-region";
import { useWorkspace } from "@/components/workspace/workspace-context";
import { connectionsApi, type TestOutcome } from "@/lib/client/connections";

/** How the last test of this visit went, by connection; the server keeps only its status. */
const outcomes = new Map<string, TestOutcome>();

/** Tries a saved connection. */
export function useTest(connectionId: string, name: string) {
  const { workspace } = useWorkspace();
  const queryClient = useQueryClient();
  const test = useMutation({
    mutationFn: () => connectionsApi.test(workspace.id, connectionId),
    onSuccess: (outcome) => {
      outcomes.set(connectionId, outcome);
      if (outcome.ok) announce(`${name} answers, ${Math.round(outcome.latencyMs)} milliseconds`);
      else announce(`${name} does not work. ${outcome.error}`, true);
      return queryClient.invalidateQueries({ queryKey: ["connections", workspace.id] });
    },
  });
  return { ...test, outcome: test.data ?? outcomes.get(connectionId) ?? null };
}
