"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { useEffect, useState } from "react";
import { toFlowKey, toFlowsKey } from "@/components/flows/use-flows";
import { useWorkspace } from "@/components/layout/workspace-context";
import { findScheduleProblems } from "@/components/schedules/schedule-editor";
import { announce } from "@/components/ui/live-region";
import { useServerForm } from "@/components/ui/use-server-form";
import type { Connection } from "@/lib/features/connections/schema";
import { flowsApi } from "@/lib/features/flows/browser/client";
import {
  type FlowDraft, type FlowField, findDraftProblems, NEW_FLOW, settle, toCreateBody, toDraft, toFlowField, toUpdateBody,
} from "@/lib/features/flows/browser/flow-form"; // biome-ignore format: one look at the whole list
import { isBegun, KeptFlow } from "@/lib/features/flows/browser/kept-flow";
import type { Flow, FlowDetail } from "@/lib/features/flows/schema";
import { ApiError } from "@/lib/platform/browser/request";

/** A way of saving: whether a new flow runs immediately, and the version to overwrite. */
type Saving = { trigger: boolean; over?: FlowDetail };

/**
 * The form of a flow.
 * @param flow the version being edited; null for a new flow, whose draft this tab keeps
 */
export function useFlowForm(flow: FlowDetail | null, connections: Connection[], root: string) {
  const { workspace } = useWorkspace();
  const router = useRouter();
  const client = useQueryClient();
  const { kept, found } = useKeptFlow(flow, connections);
  const [isFound, setIsFound] = useState(found !== null);
  const [isSaved, setIsSaved] = useState(false);
  const [hasConflict, setHasConflict] = useState(false);
  const save = async (
    draft: FlowDraft,
    { trigger, over }: Saving,
  ): Promise<{ flow: Flow; run: { id: string } | null }> => {
    if (flow === null) return flowsApi.create(workspace.id, toCreateBody(draft, trigger));
    const body = { ...toUpdateBody(draft, flow), ...(over && { updatedAt: over.updatedAt }) };
    return { flow: await flowsApi.update(workspace.id, flow.id, body), run: null };
  };
  const server = useServerForm<FlowDraft, Saving>({
    initial: flow ? toDraft(flow) : (found ?? NEW_FLOW),
    fields: [],
    fieldOf: toFlowField,
    check: (draft) => ({
      ...findDraftProblems(draft),
      ...(draft.type !== "webhook" && findScheduleProblems(draft.schedule)),
    }),
    send: async (draft, _, how = { trigger: draft.type !== "webhook" }) => {
      setHasConflict(false);
      try {
        const { flow: saved, run } = await save(draft, how);
        kept?.discard();
        setIsSaved(true);
        announce(`${saved.name} saved`);
        void client.invalidateQueries({ queryKey: toFlowsKey(workspace.id), exact: true });
        void client.invalidateQueries({ queryKey: toFlowKey(workspace.id, saved.id) });
        const isFirstWebhook = flow === null && saved.type === "webhook";
        router.push(`${root}/${saved.id}${isFirstWebhook ? "/webhook" : run === null ? "" : `/runs/${run.id}`}`);
        return "left";
      } catch (error) {
        if (!(error instanceof ApiError) || error.code !== "conflict" || flow === null) throw error;
        // Show the latest version once it is loaded.
        await client.invalidateQueries({ queryKey: toFlowKey(workspace.id, flow.id), exact: true });
        setHasConflict(true);
      }
    },
    whenClosed: "Couldn't save the flow.",
  });
  const { form, formProps, failure, isBusy, isSending, submit, problemOf } = server;
  const draft = form.watch();
  useEffect(() => {
    if (kept === null) return;
    return form.subscribe({ formState: { values: true }, callback: ({ values }) => kept.keep(values) });
  }, [form.subscribe, kept]);
  return {
    formProps,
    draft,
    change: (more: Partial<FlowDraft>) => {
      // Ignored while saving: a change would appear to be saved.
      if (isSending()) return;
      const before = form.getValues();
      const next = settle({ ...before, ...more });
      for (const name of Object.keys(next) as (keyof FlowDraft)[]) {
        if (next[name] === before[name]) continue;
        form.setValue(name, next[name], { shouldDirty: true });
        form.clearErrors(name);
      }
    },
    problemOf: (field: FlowField) => problemOf(field),
    failure,
    /** Whether someone else has saved the flow since it was opened. */
    hasConflict,
    isBusy,
    isUnsaved: !isSaved && (flow === null ? isBegun(draft) : isChanged(draft, flow)),
    submit: (how: Saving) => void submit(how),
    /** Whether the draft of an earlier visit was restored. */
    isFound,
    startOver: () => {
      form.reset(NEW_FLOW);
      kept?.discard();
      setIsFound(false);
    },
    /** Discards the kept draft; null if none is kept. */
    discard: kept && (() => kept.discard()),
  };
}

/** Returns the draft that this tab keeps of a new flow. */
function useKeptFlow(flow: FlowDetail | null, connections: Connection[]) {
  const { user, workspace } = useWorkspace();
  // Rendered only after the connections have loaded, which happens only in a browser.
  const [kept] = useState(() => (flow ? null : new KeptFlow(user.id, workspace.id, sessionStorage)));
  const [found] = useState(() => kept?.read(connections.map(({ id }) => id)) ?? null);
  return { kept, found };
}

function isChanged(draft: FlowDraft, flow: FlowDetail): boolean {
  return Object.keys(toUpdateBody(draft, flow)).some((name) => name !== "updatedAt");
}
