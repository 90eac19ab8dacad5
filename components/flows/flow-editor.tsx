"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Play } from "lucide-react";
import Link from "next/link";
import { useRouter } from "next/navigation";
import { type FormEvent, useEffect, useId, useRef, useState } from "react";
import { DestinationFields } from "@/components/flows/destination-fields";
import { FlowTrail } from "@/components/flows/flow-trail";
import { LeaveFlow } from "@/components/flows/leave-flow";
import { SourceFields } from "@/components/flows/source-fields";
import { SourcePreview } from "@/components/flows/source-preview";
import { toFlowKey, toFlowsKey } from "@/components/flows/use-flows";
import { WhatWillHappen } from "@/components/flows/what-will-happen";
import { Page } from "@/components/layout/page";
import { useWorkspace } from "@/components/layout/workspace-context";
import { isGoodSchedule, ScheduleEditor } from "@/components/schedules/schedule-editor";
import { announce } from "@/components/ui/live-region";
import { Notice } from "@/components/ui/notice";
import { SwitchRow } from "@/components/ui/switch-row";
import { TextField } from "@/components/ui/text-field";
import { useConnectivity } from "@/components/ui/use-browser";
import { useSingleFlight } from "@/components/ui/use-single-flight";
import type { Connection } from "@/lib/features/connections/browser/client";
import { type FlowDetail, flowsApi } from "@/lib/features/flows/browser/client";
import {type FlowDraft, type FormProblem, 
  findDraftProblems, NEW_FLOW, settle, toCreateBody, toDraft, toUpdateBody,
} from "@/lib/features/flows/browser/flow-form"; // biome-ignore format: one look at the whole list
import { isBegun, KeptFlow } from "@/lib/features/flows/browser/kept-flow";
import { ApiError } from "@/lib/platform/browser/request";

type FlowEditorProps = {
  /** The version being edited; null for a new flow. */
  flow: FlowDetail | null;
  /** The latest saved version. */
  newest?: FlowDetail;
  /** Restarts the form with the latest version. */
  onLoad?: (flow: FlowDetail) => void;
  connections: Connection[];
  mayChange: boolean;
  root: string;
};

/** Form for a flow: its source, destination, modes and schedule. */
export function FlowEditor({ flow, newest, onLoad, connections, mayChange, root }: FlowEditorProps) {
  const formId = useId();
  const { user, workspace } = useWorkspace();
  const router = useRouter();
  const client = useQueryClient();
  const { isOnline } = useConnectivity();
  // Rendered only after the connections have loaded, which happens only in a browser.
  const [kept] = useState(() => (flow ? null : new KeptFlow(user.id, workspace.id, sessionStorage)));
  const [found] = useState(() => kept?.read(connections.map(({ id }) => id)) ?? null);
  const [isFound, setIsFound] = useState(found !== null);
  const [draft, setDraft] = useState<FlowDraft>(() => (flow ? toDraft(flow) : (found ?? NEW_FLOW)));
  useEffect(() => kept?.keep(draft), [kept, draft]);
  const [isSaved, setIsSaved] = useState(false);
  const formRef = useRef<HTMLFormElement>(null);
  const [problems, setProblems] = useState<FormProblem[]>([]);
  const [failure, setFailure] = useState<string | null>(null);
  const [refusals, setRefusals] = useState(0);
  const [hasConflict, setHasConflict] = useState(false);
  const change = (more: Partial<FlowDraft>) => {
    // Ignored while saving: a change would appear to be saved.
    if (isSaving()) return;
    setDraft((before) => settle({ ...before, ...more }));
    setProblems([]);
    setFailure(null);
  };
  const refuse = (why: string) => {
    setFailure(why);
    setRefusals((before) => before + 1);
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
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    void submit(draft.type !== "webhook");
  };
  const problemOf = (path: string) => problems.find((each) => each.path === path)?.message;
  const fields = { draft, change, connections, problemOf, isDisabled: !mayChange, isNew: flow === null };
  const isBusy = save.isPending || isSaved;
  const isUnsaved = mayChange && !isSaved && (flow === null ? isBegun(draft) : isChanged(draft, flow));
  // After Save, focus the first invalid field.
  useEffect(() => {
    if (refusals > 0) formRef.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [refusals]);
  const beginAnew = () => {
    kept?.discard();
    setDraft(NEW_FLOW);
    setIsFound(false);
  };
  const title = flow === null ? "New flow" : mayChange ? `Edit ${flow.name}` : flow.name;
  const isRunNext = flow === null && draft.type !== "webhook";
  const actions = mayChange && (
    <>
      {flow === null && isUnsaved && <span className="xs t3">Draft saved</span>}
      <Link className="btn ghost" href={flow === null ? root : `${root}/${flow.id}`}>
        Cancel
      </Link>
      {isRunNext ? (
        <>
          <button type="button" className="btn" disabled={isBusy || !isOnline} onClick={() => void submit(false)}>
            Save
          </button>
          <button type="submit" form={formId} className="btn run" disabled={isBusy || !isOnline}>
            <Play className="s" />
            Save and run
          </button>
        </>
      ) : (
        <button type="submit" form={formId} className="btn primary" disabled={isBusy || !isOnline}>
          {isBusy ? "Saving" : "Save flow"}
        </button>
      )}
    </>
  );
  return (
    <Page
      title={title}
      trail={<FlowTrail root={root} flow={flow} name={flow === null ? "New" : "Edit"} />}
      actions={actions}
      isWide
    >
      <div className="flow-edit">
        <form ref={formRef} id={formId} className="flow-form" onSubmit={onSubmit} noValidate aria-label={title}>
          {!mayChange && (
            <Notice kind="locked">Only owners, admins and the flow's creator can edit it. You can run it.</Notice>
          )}
          {hasConflict && newest && (
            <Notice kind="warn" role="alert">
              <p>
                <b className="b6">Someone else has changed this flow.</b> Your edits are still here.
              </p>
              <div className="row run-ways">
                <button type="button" className="btn sm" onClick={() => onLoad?.(newest)}>
                  Load their version
                </button>
                <button type="button" className="btn sm" onClick={() => void submit(false, newest)}>
                  Overwrite with mine
                </button>
              </div>
            </Notice>
          )}
          {isFound && (
            <Notice
              kind="info"
              action={
                <button type="button" className="btn sm" onClick={beginAnew}>
                  Start over
                </button>
              }
            >
              Your unsaved draft was restored.
            </Notice>
          )}
          {failure !== null && (
            <Notice kind="bad" role="alert">
              {failure}
            </Notice>
          )}
          <TextField
            label="Name"
            value={draft.name}
            onChange={({ target }) => change({ name: target.value })}
            error={problemOf("name")}
            disabled={!mayChange}
            maxLength={80}
            autoComplete="off"
            isDense
          />
          <SourceFields {...fields} />
          <DestinationFields {...fields} />
          {draft.type !== "webhook" && (
            <section className="flow-part" id="when" aria-labelledby={`${formId}-when`}>
              <h2 id={`${formId}-when`}>Schedule</h2>
              <ScheduleEditor
                value={draft.schedule}
                onChange={(schedule) => change({ schedule })}
                readOnly={!mayChange}
                problems={problems.filter(({ path }) => path.startsWith("schedule"))}
              />
            </section>
          )}
          {flow !== null && (
            <SwitchRow
              label="Enabled"
              help={
                draft.type === "webhook"
                  ? "When off, events are queued until you turn it on."
                  : "When off, it runs only when started manually."
              }
              isOn={draft.enabled}
              onChange={(enabled) => change({ enabled })}
              isDisabled={!mayChange}
            />
          )}
        </form>
        <div className="flow-aside">
          <SourcePreview draft={draft} />
          <WhatWillHappen draft={draft} connections={connections} />
        </div>
      </div>
      <LeaveFlow isOn={isUnsaved} onDiscard={kept && (() => kept.discard())} />
    </Page>
  );
}

function isChanged(draft: FlowDraft, flow: FlowDetail): boolean {
  return Object.keys(toUpdateBody(draft, flow)).some((name) => name !== "updatedAt");
}
