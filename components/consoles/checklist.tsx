"use client";

import { Circle, CircleCheck } from "lucide-react";
import Link from "next/link";
import { useWorkbench, useWorkspace } from "@/components/workspace/workspace-context";
import { STEPS, type Step } from "@/lib/ui/workbench";

const NAMES: Record<Step, string> = {
  workspace: "Create your workspace",
  sample: "Run the sample query",
  table: "Look inside a table",
  own: "Run a query of your own",
  connect: "Connect your own data",
  invite: "Invite a teammate",
};

/** Where a step is done, behind /w/{slug}; the others are done in the console. */
const PLACES: Partial<Record<Step, string>> = { connect: "/connections/new", invite: "/settings/members" };

/** The first steps. They tick themselves from what really happens; gone when complete or hidden. */
export function Checklist() {
  const { workbench: store, workspace } = useWorkspace();
  const workbench = useWorkbench();
  if (workbench === null || workbench.isChecklistHidden) return null;
  // Only owners and admins may invite.
  const own = STEPS.filter((step) => step !== "invite" || workspace.role !== "member");
  const steps = own.map((step) => ({ step, isDone: workbench.done.includes(step) }));
  const done = steps.filter(({ isDone }) => isDone).length;
  if (done === steps.length) return null;
  const next = steps.find(({ isDone }) => !isDone)?.step;
  return (
    <section className="card going" aria-label="Get going">
      <div className="row between">
        <h2 className="sh">Get going</h2>
        <span className="xs t3 num">
          {done} of {steps.length}
        </span>
      </div>
      <div className="going-bar" aria-hidden="true">
        <i style={{ width: `${(100 * done) / steps.length}%` }} />
      </div>
      <ul>
        {steps.map(({ step, isDone }) => (
          <li key={step} className={isDone ? "row done" : step === next ? "row b6" : "row"}>
            {isDone ? <CircleCheck role="img" aria-label="Done:" /> : <Circle />}
            {PLACES[step] === undefined || isDone ? (
              <span>{NAMES[step]}</span>
            ) : (
              <Link href={`/w/${workspace.slug}${PLACES[step]}`}>{NAMES[step]}</Link>
            )}
          </li>
        ))}
      </ul>
      <button
        type="button"
        className="xs t3 going-hide"
        onClick={() => store.change((each) => ({ ...each, isChecklistHidden: true }))}
      >
        Hide this list
      </button>
    </section>
  );
}
