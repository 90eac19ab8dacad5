"use client";

import { Play } from "lucide-react";
import Link from "next/link";
import { type ReactNode, useId } from "react";
import { DestinationFields } from "@/components/flows/destination-fields";
import { FlowTrail } from "@/components/flows/flow-trail";
import { LeaveFlow } from "@/components/flows/leave-flow";
import { SourceFields } from "@/components/flows/source-fields";
import { SourcePreview } from "@/components/flows/source-preview";
import { useFlowForm } from "@/components/flows/use-flow-form";
import { WhatWillHappen } from "@/components/flows/what-will-happen";
import { Page } from "@/components/layout/page";
import { ScheduleEditor } from "@/components/schedules/schedule-editor";
import { FormFailure } from "@/components/ui/form-parts";
import { Notice } from "@/components/ui/notice";
import { SwitchRow } from "@/components/ui/switch-row";
import { TextField } from "@/components/ui/text-field";
import { useConnectivity } from "@/components/ui/use-browser";
import type { Connection } from "@/lib/features/connections/schema";
import type { FlowDetail } from "@/lib/features/flows/schema";

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
  const form = useFlowForm(flow, connections, root);
  const { draft, change, problemOf } = form;
  const isUnsaved = mayChange && form.isUnsaved;
  const title = flow === null ? "New flow" : mayChange ? `Edit ${flow.name}` : flow.name;
  const fields = { draft, change, connections, problemOf, isDisabled: !mayChange, isNew: flow === null };
  return (
    <Page
      title={title}
      trail={<FlowTrail root={root} flow={flow} name={flow === null ? "New" : "Edit"} />}
      actions={mayChange && <Actions {...{ formId, form, flow, root, isUnsaved }} />}
      isWide
    >
      <div className="flow-edit">
        <form {...form.formProps} id={formId} className="flow-form" aria-label={title}>
          {!mayChange && (
            <Notice kind="locked">Only owners, admins and the flow's creator can edit it. You can run it.</Notice>
          )}
          {form.hasConflict && newest && (
            <ConflictNotice
              onLoad={() => onLoad?.(newest)}
              onOverwrite={() => form.submit({ trigger: false, over: newest })}
            />
          )}
          {form.isFound && (
            <Notice
              kind="info"
              action={
                <button type="button" className="btn sm" onClick={form.startOver}>
                  Start over
                </button>
              }
            >
              Your unsaved draft was restored.
            </Notice>
          )}
          <FormFailure text={form.failure} />
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
                problemOf={(field) => problemOf(`schedule.${field}`)}
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
      <LeaveFlow isOn={isUnsaved} onDiscard={form.discard} />
    </Page>
  );
}

type ActionsProps = {
  formId: string;
  form: ReturnType<typeof useFlowForm>;
  flow: FlowDetail | null;
  root: string;
  isUnsaved: boolean;
};

function Actions({ formId, form, flow, root, isUnsaved }: ActionsProps) {
  const { isOnline } = useConnectivity();
  const { draft, isBusy, submit } = form;
  const isDisabled = isBusy || !isOnline;
  const submitButton = (className: string, content: ReactNode) => (
    <button type="submit" form={formId} className={className} disabled={isDisabled}>
      {content}
    </button>
  );
  return (
    <>
      {flow === null && isUnsaved && <span className="xs t3">Draft saved</span>}
      <Link className="btn ghost" href={flow === null ? root : `${root}/${flow.id}`}>
        Cancel
      </Link>
      {flow === null && draft.type !== "webhook" ? (
        <>
          <button type="button" className="btn" disabled={isDisabled} onClick={() => submit({ trigger: false })}>
            Save
          </button>
          {submitButton(
            "btn run",
            <>
              <Play className="s" />
              {isBusy ? "Saving" : "Save and run"}
            </>,
          )}
        </>
      ) : (
        submitButton("btn primary", isBusy ? "Saving" : "Save flow")
      )}
    </>
  );
}

function ConflictNotice({ onLoad, onOverwrite }: { onLoad: () => void; onOverwrite: () => void }) {
  return (
    <Notice kind="warn" role="alert">
      <p>
        <b className="b6">Someone else changed this flow.</b> Your edits are still here.
      </p>
      <div className="row run-ways">
        <button type="button" className="btn sm" onClick={onLoad}>
          Load their version
        </button>
        <button type="button" className="btn sm" onClick={onOverwrite}>
          Overwrite with mine
        </button>
      </div>
    </Notice>
  );
}
