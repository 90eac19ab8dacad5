"use client";

import { ChevronDown, ChevronUp, Circle, CircleCheck } from "lucide-react";
import Link from "next/link";
import { type RefObject, useLayoutEffect, useRef, useState } from "react";
import { useWorkbench, useWorkspace } from "@/components/layout/workspace-context";
import { STEPS, type Step } from "@/lib/features/consoles/browser/workbench";

const NAMES: Record<Step, string> = {
  workspace: "Create your workspace",
  sample: "Run the sample query",
  table: "Open a table",
  own: "Run your own query",
  connect: "Connect data",
  invite: "Invite members",
};

/** Pages where steps are done, below /w/{slug}; the other steps are done in the console. */
const PLACES: Partial<Record<Step, string>> = { connect: "/connections/new", invite: "/settings/members" };

/** Minimum height of the schema, its head and eight rows: fewer do not show its content. */
const SCHEMA_PX_MIN = 240;

/** Checklist of first steps. They are ticked by what the user does; hidden when complete or dismissed. */
export function Checklist() {
  const { workbench: store, workspace } = useWorkspace();
  const workbench = useWorkbench();
  const ref = useRef<HTMLElement>(null);
  const [chosen, setChosen] = useState<boolean | null>(null);
  const hasRoom = useHasRoom(ref, workbench !== null && !workbench.isChecklistHidden);
  if (workbench === null || workbench.isChecklistHidden) return null;
  // Only owners and admins may invite, and an invited person has created no workspace.
  const isOwn = (step: Step) =>
    step === "invite" ? workspace.role !== "member" : step !== "workspace" || workspace.role === "owner";
  const own = STEPS.filter(isOwn);
  const steps = own.map((step) => ({ step, isDone: workbench.done.includes(step) }));
  const done = steps.filter(({ isDone }) => isDone).length;
  if (done === steps.length) return null;
  const next = steps.find(({ isDone }) => !isDone)?.step;
  const isOpen = chosen ?? hasRoom;
  const progress = (
    <span className="xs t3 num">
      {done} of {steps.length}
    </span>
  );
  if (!isOpen) {
    return (
      <section ref={ref} className="card going line" aria-label="Get started">
        <button type="button" className="row" aria-expanded="false" onClick={() => setChosen(true)}>
          <h2 className="sh">Get started</h2>
          <span className="t3 trunc grow">{next && NAMES[next]}</span>
          {progress}
          <ChevronUp className="s t3" />
        </button>
      </section>
    );
  }
  return (
    <section ref={ref} className="card going" aria-label="Get started">
      <div className="row between">
        <h2 className="sh">Get started</h2>
        {progress}
        {!hasRoom && (
          <button
            type="button"
            className="btn ghost icon sm"
            aria-label="Collapse checklist"
            aria-expanded="true"
            onClick={() => setChosen(null)}
          >
            <ChevronDown className="s" />
          </button>
        )}
      </div>
      <div className="going-bar" aria-hidden="true">
        <i style={{ width: `${(100 * done) / steps.length}%` }} />
      </div>
      <ul>
        {steps.map(({ step, isDone }) => (
          <li key={step} className={isDone ? "row done" : step === next ? "row b6" : "row"}>
            {isDone ? <CircleCheck role="img" aria-label="Done" /> : <Circle />}
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
        Hide checklist
      </button>
    </section>
  );
}

/** Returns whether the schema, below the list in the explorer, keeps room for its rows beside the whole list. */
function useHasRoom(ref: RefObject<HTMLElement | null>, isShown: boolean): boolean {
  const [hasRoom, setHasRoom] = useState(true);
  // Collapsed to one line, the list does not tell its full height.
  const wholePx = useRef(0);
  useLayoutEffect(() => {
    const side = ref.current?.parentElement;
    const schema = side?.querySelector(".schema-box");
    if (!isShown || !side || !schema) return;
    const measure = () => {
      const own = ref.current;
      if (own === null) return;
      if (!own.classList.contains("line")) wholePx.current = own.offsetHeight;
      setHasRoom(schema.clientHeight + own.offsetHeight - wholePx.current >= SCHEMA_PX_MIN);
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(side);
    observer.observe(schema);
    return () => observer.disconnect();
  }, [ref, isShown]);
  return hasRoom;
}
