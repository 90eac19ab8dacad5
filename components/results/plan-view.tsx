"use client";

import { CircleX, Copy, Waves, X } from "lucide-react";
import type { Plan } from "@/components/results/explain-store";
import { copyText } from "@/components/ui/copy-text";
import { showToast } from "@/components/ui/toast";
import { useNow } from "@/components/ui/use-browser";
import { formatDuration } from "@/lib/ui/format";
import "./results.css";

const COPIED_TOAST_MS = 3000;

/** How the database means to answer a statement, as it draws it itself. The result is behind it, untouched. */
export function PlanView({ plan, onClose }: { plan: Plan; onClose: () => void }) {
  const { outcome } = plan;
  const now = useNow(outcome.status === "running", 100);
  return (
    <section className="plan-view" aria-label="Plan" aria-busy={outcome.status === "running"}>
      <div className="result-bar">
        <b className="b6">Plan</b>
        <code className="trunc t3">{plan.statement.replace(/\s+/g, " ")}</code>
        <span className="grow" />
        {outcome.status === "done" && (
          <button
            type="button"
            className="btn ghost sm"
            onClick={async () =>
              (await copyText(outcome.text)) && showToast("Plan copied.", { id: "copied", duration: COPIED_TOAST_MS })
            }
          >
            <Copy className="s" />
            <span className="word">Copy plan</span>
          </button>
        )}
        <button type="button" className="btn ghost sm" onClick={onClose}>
          <X className="s" />
          <span className="word">Close plan</span>
        </button>
      </div>
      {outcome.status === "running" && (
        <p className="plan-said st run num">
          <Waves className="s" />
          Waiting for the database, {formatDuration(Math.max(0, (now ?? plan.startedAt) - plan.startedAt))}
        </p>
      )}
      {outcome.status === "failed" && (
        <div className="plan-said">
          <p className="st bad">
            <CircleX className="s" />
            The database does not explain this statement
          </p>
          <pre className="cell-value">{outcome.message}</pre>
        </div>
      )}
      {outcome.status === "done" && outcome.text === "" && (
        <p className="plan-said t2">The database said nothing about this statement.</p>
      )}
      {outcome.status === "done" && outcome.text !== "" && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and the keyboard has to reach it
        <pre className="plan-text" tabIndex={0}>
          {outcome.text}
        </pre>
      )}
      {outcome.status === "done" && (
        <div className="foot num">
          <span>The plan alone: nothing was run.</span>
          <span className="grow" />
          <span className="t3">{formatDuration(outcome.durationMs)}</span>
        </div>
      )}
    </section>
  );
}
