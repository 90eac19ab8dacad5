"use client";

import { StatusWord } from "@/components/runs/status-word";
import { useNow, useStaleSince } from "@/components/ui/use-browser";
import { isGoing, TRIGGER_PHRASES, toRunState, toShareDone } from "@/lib/features/flows/browser/flow-words";
import type { Run } from "@/lib/features/runs/schema";
import { formatClock, formatCount, toDuration } from "@/lib/platform/browser/format";

const TICK_MS = 200;
/** Minimum duration for which a rate is shown, in ms. */
const RATE_FROM_MS = 1000;

/** Strip of a flow's run: its status, a progress line and the figures (docs/develop/design.md, Parts). */
export function RunStrip({ run }: { run: Run }) {
  const isOn = isGoing(run);
  const staleSince = useStaleSince();
  const isLive = isOn && staleSince === null;
  const clock = useNow(isLive && run.startedAt !== null, TICK_MS);
  const now = staleSince ?? clock;
  const state = toRunState(run);
  const share = isOn ? toShareDone(run.entities) : null;
  const started = run.startedAt === null ? null : Date.parse(run.startedAt);
  const ms = run.durationMs ?? (now !== null && started !== null ? Math.max(0, now - started) : null);
  const { counts } = run;
  const duration = ms === null ? null : toDuration(ms);
  const rate = ms !== null && ms >= RATE_FROM_MS && counts ? Math.round((counts.read * 1000) / ms) : null;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a strip of figures is no form
    <div className="run-strip" role="group" aria-label="Run">
      <StatusWord
        status={state}
        more={
          (share === null ? "" : `, ${Math.floor(share * 100)}%`) +
          (isOn && staleSince !== null ? `, as of ${formatClock(new Date(staleSince))}` : "")
        }
      />
      <span className="run-line" aria-hidden="true">
        {isLive && share === null && <i className="moving" />}
        {share !== null && <i className="filling" style={{ width: `${share * 100}%` }} />}
        {state === "success" && <i className="whole" />}
        {state === "failure" && <i className="broken" />}
      </span>
      <dl className="run-figs num">
        {counts && (
          <>
            <Figure name="read" value={formatCount(counts.read)} />
            <Figure name="written" value={formatCount(counts.written)} />
            {counts.skipped > 0 && <Figure name="skipped" value={formatCount(counts.skipped)} />}
            {counts.failed > 0 && <Figure name="refused" value={formatCount(counts.failed)} isBad />}
          </>
        )}
        {rate !== null && <Figure name="rows/s" value={formatCount(rate)} />}
        {duration && <Figure name={duration.unit} value={duration.value} />}
      </dl>
      <span className="xs t3">{TRIGGER_PHRASES[run.triggerType]}</span>
    </div>
  );
}

function Figure({ name, value, isBad = false }: { name: string; value: string; isBad?: boolean }) {
  return (
    <div className={isBad ? "bad" : undefined}>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}
