"use client";

import { Check, Shield } from "lucide-react";
import { useState } from "react";
import { PlanTargets } from "@/components/agent/plan-targets";
import { CardHead } from "@/components/agent/step-line";
import { type Plan, type ToolPart, toPlan } from "@/components/agent/tool-parts";
import { useLive } from "@/components/layout/use-live";
import { Markdown } from "@/components/markdown/markdown";
import { lazyComponent } from "@/components/ui/lazy-component";
import { announce } from "@/components/ui/live-region";
import { toMessage } from "@/components/ui/to-message";
import { agentApi } from "@/lib/features/agent/browser/client";
import type { Grant, PlanAnswer } from "@/lib/features/agent/schema";
import { later } from "@/lib/platform/browser/load-again";

const PlanPreview = lazyComponent(
  later(() => import("@/components/agent/plan-preview")),
  (module) => module.PlanPreview,
  () => <div className="plan-preview" aria-busy="true" />,
);

const GRANT_WORDS: Record<Grant, string> = {
  "query-write": "Run write queries",
  "console-write": "Save consoles",
  "flow-write": "Create and start flows",
  "schedule-write": "Change schedules",
  "metric-write": "Save metrics",
  "dashboard-write": "Save dashboards",
  "rule-write": "Save notification rules",
  "app-write": "Save apps",
  "folder-write": "Save and move folders",
  "item-delete": "Delete apps and folders",
};
const ENDED: Record<PlanAnswer["status"], string> = {
  approved: "Plan approved",
  changes_requested: "Changes requested",
  cancelled: "Plan cancelled",
};
const PLAN_CHARS_MAX = 20_000;

type Decided =
  | { decision: "approve"; grants: Grant[] }
  | { decision: "request_changes"; planMarkdown: string }
  | { decision: "cancel" };

type PlanCardProps = { tool: ToolPart; isBusy: boolean; onGoOn: () => void };

/** A plan that waits for approval: its changes and the grants it needs. Nothing is written before the user approves. */
export function PlanCard({ tool, isBusy, onGoOn }: PlanCardProps) {
  const plan = toPlan(tool);
  if (plan === null) {
    return (
      <div className="tool">
        <CardHead
          icon={Shield}
          title={tool.state === "failed" ? "Plan failed" : "Planning"}
          isFailed={tool.state === "failed"}
        />
        {tool.state === "failed" && <p className="tool-error">{tool.errorText}</p>}
      </div>
    );
  }
  return <Decision plan={plan} isWaitedFor={isBusy && tool.state === "running"} onGoOn={onGoOn} />;
}

/** Returns the state of a plan, and a function that decides on it. It may be decided on in another tab. */
function useDecision(plan: Plan, isWaitedFor: boolean) {
  const [answer, setAnswer] = useState<PlanAnswer | null>(null);
  const [isSending, setIsSending] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);
  const [isLate, setIsLate] = useState(false);
  const [elsewhere, setElsewhere] = useState<PlanAnswer["status"] | null>(null);
  useLive((event) => {
    if (event.kind === "reset") return;
    const { kind, data } = event;
    if (kind !== "plan" || data.resourceId !== plan.sessionId) return;
    const { status } = data;
    if (status === "approved" || status === "changes_requested" || status === "cancelled") setElsewhere(status);
  });
  const decide = async (decision: Decided) => {
    setIsSending(true);
    setFailure(null);
    try {
      const { sessionId, revision } = plan;
      const decided = await agentApi.decidePlan({ agentSessionId: sessionId, revision, ...decision });
      setAnswer(decided);
      setIsLate(!isWaitedFor);
      announce(ENDED[decided.status]);
    } catch (error) {
      setFailure(toMessage(error));
    } finally {
      setIsSending(false);
    }
  };
  const isPending = plan.status === "pending";
  return {
    status: isPending ? (answer?.status ?? elsewhere ?? "pending") : plan.status,
    granted: isPending ? (answer?.grants ?? []) : plan.granted,
    /** Whether the agent no longer waited for the decision. */
    isLate,
    isSending,
    failure,
    decide: (decision: Decided) => void decide(decision),
  };
}

function Decision({ plan, isWaitedFor, onGoOn }: { plan: Plan; isWaitedFor: boolean; onGoOn: () => void }) {
  const deciding = useDecision(plan, isWaitedFor);
  const { status, granted, isLate } = deciding;
  const isOpen = status === "pending";
  return (
    <div className={isOpen ? "tool prop plan-card" : "tool plan-card"}>
      <CardHead icon={isOpen ? Shield : Check} title={isOpen ? "Plan awaiting approval" : ENDED[status]} />
      <div className="plan-text">
        <Markdown text={plan.markdown} />
      </div>
      {isOpen ? (
        <PlanForm plan={plan} deciding={deciding} />
      ) : (
        <>
          {status === "approved" && <PlanTargets {...plan} />}
          <div className="row tool-foot xs t3">
            <span className="grow">
              {status === "approved" ? `Allowed: ${granted.join(", ") || "as requested"}` : "No changes made."}
            </span>
            {isLate && status === "approved" && (
              <button type="button" className="link" onClick={onGoOn}>
                Continue plan
              </button>
            )}
          </div>
        </>
      )}
    </div>
  );
}

type PlanFormProps = { plan: Plan; deciding: ReturnType<typeof useDecision> };

/** The targets and the grants of an open plan, with the buttons that decide on it. */
function PlanForm({ plan, deciding: { decide, isSending, failure } }: PlanFormProps) {
  const [grants, setGrants] = useState<Grant[]>(plan.asked);
  const [changes, setChanges] = useState<string | null>(null);
  const [isBlocked, setIsBlocked] = useState(false);
  return (
    <>
      {plan.dashboard && <PlanPreview dashboard={plan.dashboard} onBlocked={setIsBlocked} />}
      <PlanTargets {...plan} />
      <fieldset className="plan-grants">
        <legend className="xs t2">Allow for this turn (up to 2 hours)</legend>
        {plan.asked.map((grant) => (
          <label key={grant} className="row">
            <input
              type="checkbox"
              checked={grants.includes(grant)}
              onChange={({ target }) =>
                setGrants(plan.asked.filter((each) => (each === grant ? target.checked : grants.includes(each))))
              }
            />
            <span className="mono">{grant}</span>
            <span className="xs t3">{GRANT_WORDS[grant]}</span>
          </label>
        ))}
      </fieldset>
      {changes !== null && (
        <div className="plan-changes">
          <label className="flabel" htmlFor={`changes-${plan.sessionId}`}>
            Requested changes
          </label>
          <textarea
            id={`changes-${plan.sessionId}`}
            className="area"
            rows={3}
            maxLength={PLAN_CHARS_MAX}
            value={changes}
            onChange={({ target }) => setChanges(target.value)}
          />
        </div>
      )}
      {failure && (
        <p className="tool-error" role="alert">
          {failure}
        </p>
      )}
      <div className="row card-acts">
        {changes === null ? (
          <>
            <button
              type="button"
              className="btn primary sm"
              disabled={isSending || isBlocked || grants.length === 0}
              onClick={() => decide({ decision: "approve", grants })}
            >
              Approve plan
            </button>
            <button type="button" className="btn sm" disabled={isSending} onClick={() => setChanges("")}>
              Request changes
            </button>
            <span className="grow" />
            <button
              type="button"
              className="btn ghost sm"
              disabled={isSending}
              onClick={() => decide({ decision: "cancel" })}
            >
              Cancel
            </button>
          </>
        ) : (
          <>
            <button
              type="button"
              className="btn primary sm"
              disabled={isSending || changes.trim() === ""}
              onClick={() => decide({ decision: "request_changes", planMarkdown: changes.trim() })}
            >
              Send request
            </button>
            <button type="button" className="btn ghost sm" disabled={isSending} onClick={() => setChanges(null)}>
              Back
            </button>
          </>
        )}
      </div>
    </>
  );
}
