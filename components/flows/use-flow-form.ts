"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { useEffect, useState } from "react";
import { toFlowKey, toFlowsKey } from "@/components/flows/use-flows";
import { useWorkspace } from "@/components/layout/workspace-context";
import { isGoodSchedule } from "@/components/schedules/schedule-editor";
import { announce } from "@/components/ui/live-region";
import { useInvalidFocus } from "@/components/ui/use-server-form";
import { useSingleFlight } from "@/components/ui/use-single-flight";
import type { Connection } from "@/lib/features/connections/browser/client";
import { type FlowDetail, flowsApi } from "@/lib/features/flows/browser/client";
import {
  type FlowDraft, type FormProblem, findDraftProblems, NEW_FLOW, settle, toCreateBody, toDraft, toUpdateBody,
} from "@/lib/features/flows/browser/flow-form"; // biome-ignore format: one look at the whole list
import { isBegun, KeptFlow } from "@/lib/features/flows/browser/kept-flow";
import { ApiError } from "@/lib/platform/browser/request";

/**
 * Holds the draft of a flow's form and saves it.
 * @param flow the version being edited; null for a new flow, whose draft this tab keeps
 */
export function useFlowForm(flow: FlowDetail | null, connections: Connection[], root: string) {
  const { workspace } = useWorkspace();
  const router = useRouter();
  const client = useQueryClient();
  const { kept, draft, setDraft, isFound, startOver } = useFlowDraft(flow, connections);
  const { formRef, focusInvalid } = useInvalidFocus();
  const [isSaved, setIsSaved] = useState(false);
  const [problems, setProblems] = useState<FormProblem[]>([]);
  const [failure, setFailure] = useState<string | null>(null);
  const [hasConflict, setHasConflict] = useState(false);
  const refuse = (why: string) => {
    setFailure(why);
    focusInvalid();
  };
  const save = useMutation({
    mutationFn: async ({ trigger, over }: { trigger: boolean; over?: FlowDetail }) => {
      if (flow === null) return flowsApi.create(workspace.id, toCreateBody(draft, trigger));
      const body = { ...toUpdateBody(draft, flow), ...(over && { updatedAt: over.updatedAt }) };
      return { flow: await flowsApi.update(workspace.id, flow.id, body), run: null };
    },
  });
  const [submit, isSaving] = useSingleFlight(async (trigger: boolean, over?: FlowDetail) => {
    setFailure(null);
    setHasConflict(false);
    const missing = findDraftProblems(draft);
    setProblems(missing);
    if (missing.length > 0) return refuse("Some fields need attention. They are marked below.");
    if (!isGoodSchedule(draft.schedule)) return refuse("The schedule is not valid. See the message below.");
    try {
      const { flow: saved, run } = await save.mutateAsync({ trigger, over });
      kept?.discard();
      setIsSaved(true);
      announce(`${saved.name} saved`);
      void client.invalidateQueries({ queryKey: toFlowsKey(workspace.id), exact: true });
      void client.invalidateQueries({ queryKey: toFlowKey(workspace.id, saved.id) });
      const isFirstWebhook = flow === null && saved.type === "webhook";
      router.push(`${root}/${saved.id}${isFirstWebhook ? "/webhook" : run === null ? "" : `/runs/${run.id}`}`);
      return "left";
    } catch (error) {
      if (error instanceof ApiError && error.code === "conflict" && flow !== null) {
        // Show the latest version once it is loaded.
        await client.invalidateQueries({ queryKey: toFlowKey(workspace.id, flow.id), exact: true });
        return setHasConflict(true);
      }
      setProblems(error instanceof ApiError ? error.problems : []);
      refuse(error instanceof ApiError ? error.message : "Something went wrong in the browser. Reload the page.");
    }
  });
  return {
    formRef,
    draft,
    change: (more: Partial<FlowDraft>) => {
      // Ignored while saving: a change would appear to be saved.
      if (isSaving()) return;
      setDraft((before) => settle({ ...before, ...more }));
      setProblems([]);
      setFailure(null);
    },
    problems,
    problemOf: (path: string) => problems.find((each) => each.path === path)?.message,
    failure,
    /** Whether someone else has saved the flow since it was opened. */
    hasConflict,
    isBusy: save.isPending || isSaved,
    isUnsaved: !isSaved && (flow === null ? isBegun(draft) : isChanged(draft, flow)),
    /** @param trigger whether a new flow runs immediately @param over version to overwrite */
    submit: (trigger: boolean, over?: FlowDetail) => void submit(trigger, over),
    /** Whether the draft of an earlier visit was restored. */
    isFound,
    startOver,
    /** Discards the kept draft; null if none is kept. */
    discard: kept && (() => kept.discard()),
  };
}

/** Returns the draft, which this tab keeps for a new flow. */
function useFlowDraft(flow: FlowDetail | null, connections: Connection[]) {
  const { user, workspace } = useWorkspace();
  // Rendered only after the connections have loaded, which happens only in a browser.
  const [kept] = useState(() => (flow ? null : new KeptFlow(user.id, workspace.id, sessionStorage)));
  const [found] = useState(() => kept?.read(connections.map(({ id }) => id)) ?? null);
  const [isFound, setIsFound] = useState(found !== null);
  const [draft, setDraft] = useState<FlowDraft>(() => (flow ? toDraft(flow) : (found ?? NEW_FLOW)));
  useEffect(() => kept?.keep(draft), [kept, draft]);
  const startOver = () => {
    kept?.discard();
    setDraft(NEW_FLOW);
    setIsFound(false);
  };
  return { kept, draft, setDraft, isFound, startOver };
}

function isChanged(draft: FlowDraft, flow: FlowDetail): boolean {
  return Object.keys(toUpdateBody(draft, flow)).some((name) => name !== "updatedAt");
}
