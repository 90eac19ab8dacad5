import { CircleCheck, CircleDashed, CircleX, Square, Waves } from "lucide-react";
import { RUN_STATE_WORDS, type RunState } from "@/lib/ui/flow-words";

const LOOKS: Record<RunState, { icon: typeof Waves; className: string }> = {
  queued: { icon: CircleDashed, className: "wait" },
  running: { icon: Waves, className: "run" },
  cancelling: { icon: Waves, className: "run" },
  success: { icon: CircleCheck, className: "ok" },
  failure: { icon: CircleX, className: "bad" },
  cancelled: { icon: Square, className: "wait" },
};

/** The sign of how a run stands. The word stands beside it, or is its label. */
export function RunStateIcon({ state }: { state: RunState }) {
  const { icon: Icon, className } = LOOKS[state];
  return (
    <span className={`st ${className}`} role="img" aria-label={RUN_STATE_WORDS[state]}>
      <Icon className="s" />
    </span>
  );
}

/** How a run stands, with a sign and a word. @param more behind the word: how far it is, or when that was */
export function RunStateWord({ state, more = "" }: { state: RunState; more?: string }) {
  const { icon: Icon, className } = LOOKS[state];
  return (
    <span className={`st ${className}`}>
      <Icon className="s" />
      {RUN_STATE_WORDS[state]}
      {more}
    </span>
  );
}
