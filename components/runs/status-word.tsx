import { CircleCheck, CircleDashed, CircleMinus, CircleX, type LucideIcon, Waves } from "lucide-react";
import type { Execution } from "@/lib/client/executions";
import type { Arrival } from "@/lib/client/flows";
import type { DeliveryStatus } from "@/lib/client/notifications";
import type { RunStatus } from "@/lib/client/runs";

/** How a run, a query, a delivery or an event that came in stands. */
export type Status = RunStatus | DeliveryStatus | Execution["status"] | Arrival["status"];

const WORDS: Record<Status, { icon: LucideIcon; word: string; className: string }> = {
  queued: { icon: CircleDashed, word: "Queued", className: "wait" },
  running: { icon: Waves, word: "Running", className: "run" },
  retrying: { icon: Waves, word: "Retrying", className: "run" },
  success: { icon: CircleCheck, word: "Success", className: "ok" },
  waiting: { icon: Waves, word: "Waiting", className: "run" },
  written: { icon: CircleCheck, word: "Written", className: "ok" },
  repeat: { icon: CircleDashed, word: "Repeat", className: "wait" },
  refused: { icon: CircleX, word: "Refused", className: "bad" },
  sent: { icon: CircleCheck, word: "Sent", className: "ok" },
  failure: { icon: CircleX, word: "Failed", className: "bad" },
  failed: { icon: CircleX, word: "Failed", className: "bad" },
  timeout: { icon: CircleX, word: "Too long", className: "bad" },
  cancelled: { icon: CircleMinus, word: "Cancelled", className: "wait" },
  skipped: { icon: CircleDashed, word: "Skipped", className: "wait" },
};

/** A status: always an icon and a word (docs/design.md, Parts). */
export function StatusWord({ status }: { status: Status }) {
  const { icon: Icon, word, className } = WORDS[status];
  return (
    <span className={`st ${className}`}>
      <Icon className="s" />
      {word}
    </span>
  );
}
