import { CircleCheck, CircleDashed, CircleMinus, CircleX, type LucideIcon, Waves } from "lucide-react";
import type { RunState } from "@/lib/features/flows/browser/flow-words";
import type { Arrival } from "@/lib/features/flows/schema";
import type { DeliveryStatus } from "@/lib/features/notifications/schema";
import type { Execution } from "@/lib/features/query/schema";

/** Status of a run, a query, a delivery or a received event. */
export type Status = RunState | DeliveryStatus | Execution["status"] | Arrival["status"];

const LOOKS: Record<Status, { icon: LucideIcon; word: string; className: string }> = {
  queued: { icon: CircleDashed, word: "Queued", className: "wait" },
  running: { icon: Waves, word: "Running", className: "run" },
  cancelling: { icon: Waves, word: "Cancelling", className: "run" },
  retrying: { icon: Waves, word: "Retrying", className: "run" },
  waiting: { icon: Waves, word: "Waiting", className: "run" },
  success: { icon: CircleCheck, word: "Succeeded", className: "ok" },
  written: { icon: CircleCheck, word: "Written", className: "ok" },
  sent: { icon: CircleCheck, word: "Sent", className: "ok" },
  failure: { icon: CircleX, word: "Failed", className: "bad" },
  failed: { icon: CircleX, word: "Failed", className: "bad" },
  refused: { icon: CircleX, word: "Rejected", className: "bad" },
  timeout: { icon: CircleX, word: "Timed out", className: "bad" },
  cancelled: { icon: CircleMinus, word: "Cancelled", className: "wait" },
  repeat: { icon: CircleDashed, word: "Duplicate", className: "wait" },
  skipped: { icon: CircleDashed, word: "Skipped", className: "wait" },
};

/**
 * A status: always an icon and a word (docs/develop/design.md, Parts).
 * @param more text after the word: progress or time
 */
export function StatusWord({ status, more = "" }: { status: Status; more?: string }) {
  const { icon: Icon, word, className } = LOOKS[status];
  return (
    <span className={`st ${className}`}>
      <Icon className="s" />
      {word}
      {more}
    </span>
  );
}

/** The icon alone, with the word as its label. */
export function StatusIcon({ status }: { status: Status }) {
  const { icon: Icon, word, className } = LOOKS[status];
  return (
    <span className={`st ${className}`} role="img" aria-label={word}>
      <Icon className="s" />
    </span>
  );
}

/** Returns a status for the middle of a sentence that the icon precedes. */
export function toStatusWord(status: Status): string {
  return LOOKS[status].word.toLowerCase();
}
