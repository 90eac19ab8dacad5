import { formatCount, formatDuration } from "@/lib/base/values/amounts";
import type { Payload } from "./schema";

/** What people read of a payload, in the same words by mail and in a chat. */
export type Facts = {
  /** "Daily revenue succeeded" */
  headline: string;
  isFailure: boolean;
  /** What the link opens: "Open the console". */
  action: string;
  rows: { label: string; value: string }[];
  error: string | null;
};

const HOW: Record<Payload["triggerType"], string> = {
  scheduled: "by its schedule",
  manual: "by hand",
  api: "through the API",
  backfill: "as a backfill",
  webhook: "by a webhook",
};

/** @param isTest says in the headline that nothing has happened */
export function toFacts(payload: Payload, isTest: boolean): Facts {
  const isFailure = payload.trigger === "failure";
  const isFlow = payload.resourceType === "flow";
  return {
    headline: `${isTest ? "Test: " : ""}${payload.resourceName} ${isFailure ? "failed" : "succeeded"}`,
    isFailure,
    action: isFlow ? "Open the flow" : "Open the console",
    rows: [
      { label: isFlow ? "Flow" : "Scheduled query", value: payload.resourceName },
      { label: "Status", value: isFailure ? "Failure" : "Success" },
      { label: "Completed", value: toUtc(payload.completedAt) },
      { label: "Duration", value: formatDuration(payload.durationMs) },
      ...(payload.rowCount === undefined ? [] : [{ label: "Rows", value: formatCount(payload.rowCount) }]),
      { label: "Started", value: HOW[payload.triggerType] },
    ],
    error: payload.errorMessage,
  };
}

/** "22 Nov 2026, 06:00:05 UTC": readers sit in many zones, so the zone stands with it. */
function toUtc(iso: string): string {
  const text = new Date(iso).toLocaleString("en-GB", { timeZone: "UTC", dateStyle: "medium", timeStyle: "medium" });
  return `${text} UTC`;
}
