"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { toFlowKey, toFlowsKey } from "@/components/flows/use-flows";
import { useWorkspace } from "@/components/layout/workspace-context";
import { useRights } from "@/components/settings/use-settings";
import { announce } from "@/components/ui/live-region";
import { toMessage } from "@/components/ui/to-message";
import { showFailure } from "@/components/ui/toast";
import { useSingleMutation } from "@/components/ui/use-single-flight";
import { flowsApi } from "@/lib/features/flows/browser/client";
import type { BackfillBody, Flow } from "@/lib/features/flows/schema";
import type { Run } from "@/lib/features/runs/schema";

/**
 * Returns whether the user may change and delete a flow: owners, admins and its creator may (docs/develop/api.md,
 * Flows). Every member can run it.
 */
export function useMayChange(flow: Pick<Flow, "createdBy">): boolean {
  const { user } = useWorkspace();
  return useRights().isAdmin || flow.createdBy === user.id;
}

/**
 * Returns the actions on a flow for lists and pages. Errors appear in a toast, except those that the caller displays.
 */
export function useFlowActions(flow: Pick<Flow, "id" | "name">) {
  const { workspace } = useWorkspace();
  const client = useQueryClient();
  const router = useRouter();
  const root = `/w/${workspace.slug}/flows`;
  const renew = () =>
    Promise.all([
      client.invalidateQueries({ queryKey: toFlowsKey(workspace.id), exact: true }),
      client.invalidateQueries({ queryKey: toFlowKey(workspace.id, flow.id) }),
    ]);
  /** Stays pending until the page has the run: until then a button would start another. */
  const toRun = (run: Run | null) => {
    router.push(run === null ? `${root}/${flow.id}` : `${root}/${flow.id}/runs/${run.id}`);
    return renew();
  };
  const run = useMutation({
    mutationFn: () => flowsApi.run(workspace.id, flow.id),
    onSuccess: ({ run: started }) => {
      announce(`${flow.name} started`);
      return toRun(started);
    },
    onError: (error) => showFailure(toMessage(error)),
  });
  const backfill = useMutation({
    mutationFn: (body: BackfillBody) => flowsApi.backfill(workspace.id, flow.id, body),
    onSuccess: ({ run: started }) => {
      announce(`Backfill of ${flow.name} started`);
      return toRun(started);
    },
  });
  const cancel = useMutation({
    mutationFn: (runId: string) => flowsApi.cancelRun(workspace.id, flow.id, runId),
    onSuccess: async () => {
      announce("Run cancelled");
      await renew();
    },
    onError: async (error) => {
      showFailure(toMessage(error));
      await renew();
    },
  });
  const setEnabled = useMutation({
    mutationFn: (enabled: boolean) => flowsApi.update(workspace.id, flow.id, { enabled }),
    onSuccess: async (saved) => {
      announce(saved.enabled ? `${flow.name} resumed` : `${flow.name} paused`);
      await renew();
    },
    onError: (error) => showFailure(toMessage(error)),
  });
  return {
    run: useSingleMutation(run),
    backfill,
    cancel: useSingleMutation(cancel),
    setEnabled: useSingleMutation(setEnabled),
  };
}
