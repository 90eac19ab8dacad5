"use client";

import { CircleCheck, CircleDashed, CircleX, Waves } from "lucide-react";
import { useNow } from "@/components/ui/use-browser";
import type { Operation } from "@/lib/features/apps/publish/schema";
import { formatDuration } from "@/lib/platform/browser/format";

const WORDS = { build: "Build", bindings: "Refresh bindings", pointer: "Go live" } as const;
const ICONS = { waiting: CircleDashed, running: Waves, done: CircleCheck, failed: CircleX } as const;
const CLASSES = { waiting: "wait", running: "run", done: "ok", failed: "bad" } as const;
const STATES = { waiting: "waiting", running: "running", done: "done", failed: "failed" } as const;
const TICK_MS = 200;

/** Steps of a publish or a rollback on the run bar, and the build's log. */
export function OperationSteps({ operation }: { operation: Operation }) {
  const isOpen = operation.state === "queued" || operation.state === "running";
  const now = useNow(isOpen, TICK_MS);
  return (
    <div className="operation">
      <span className="operation-line" aria-hidden="true">
        {operation.steps.map(({ name, state }) => (
          <i key={name} className={state} />
        ))}
      </span>
      <ol aria-label="Steps">
        {operation.steps.map(({ name, state, startedAt, endedAt }) => {
          const Icon = ICONS[state];
          const until = endedAt === null ? now : new Date(endedAt).getTime();
          const ms = startedAt === null || until === null ? null : Math.max(0, until - new Date(startedAt).getTime());
          return (
            <li key={name} className="row">
              <span className={`st ${CLASSES[state]}`}>
                <Icon className="s" aria-hidden="true" />
                {WORDS[name]}
                <span className="sr-only">, {STATES[state]}</span>
              </span>
              <span className="grow" />
              {ms !== null && <span className="xs t2 num">{formatDuration(ms)}</span>}
            </li>
          );
        })}
      </ol>
      {operation.state === "queued" && <p className="xs t2">Another publish is running. This one is queued.</p>}
      {operation.log.length > 0 && <BuildLog lines={operation.log} />}
    </div>
  );
}

/** Log of a build, scrolled to its end. */
export function BuildLog({ lines }: { lines: readonly string[] }) {
  return (
    <div
      ref={(box) => {
        if (box) box.scrollTop = box.scrollHeight;
      }}
      className="build-log mono"
      role="log"
      aria-live="off"
      aria-label="Build log"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls has to be reachable by the keyboard
      tabIndex={0}
    >
      {lines.join("\n")}
    </div>
  );
}
