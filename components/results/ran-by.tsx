"use client";

import type { ConsoleRun } from "@/components/consoles/run-store";
import { useWorkspace } from "@/components/layout/workspace-context";
import { useMemberNames } from "@/components/settings/use-settings";
import { useNow } from "@/components/ui/use-browser";
import { formatClock } from "@/lib/platform/browser/format";
import { formatAgo, formatStamp } from "@/lib/platform/browser/format-time";

/** Interval at which the age of a stored result is updated, in ms; it is shown in minutes. */
const AGE_EVERY_MS = 30_000;

/** Time and user of a result; for a stored one, its age. */
export function RanBy({ run }: { run: ConsoleRun }) {
  const at = new Date(run.endedAt ?? run.startedAt);
  return (
    <time dateTime={at.toISOString()} title={formatStamp(at)}>
      {run.keptOf === null ? `Ran ${formatClock(at)} by you` : <Kept at={at} keptOf={run.keptOf} />}
    </time>
  );
}

function Kept({ at, keptOf }: { at: Date; keptOf: NonNullable<ConsoleRun["keptOf"]> }) {
  const { user } = useWorkspace();
  const names = useMemberNames();
  const now = useNow(true, AGE_EVERY_MS);
  const name = keptOf.userId === user.id ? "you" : (names.get(keptOf.userId) ?? "a former member");
  const ago = formatAgo(at, new Date(now ?? Date.now()));
  return keptOf.isByItself ? `Background run for ${name}, ${ago}` : `Ran ${ago} by ${name}`;
}
