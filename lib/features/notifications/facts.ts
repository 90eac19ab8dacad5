import { formatCount, formatDuration } from "@/lib/base/values/amounts";
import { clockPartsOf } from "@/lib/base/values/clock-parts";
import type { Payload } from "./payload-schema";

/** Contents of a payload as text, in the same words for emails and chats. */
export type Facts = {
  /** "Daily revenue succeeded" */
  headline: string;
  isFailure: boolean;
  /** Label of the link: "Open the console". */
  action: string;
  rows: { label: string; value: string }[];
  error: string | null;
};

const HOW: Record<Payload["triggerType"], string> = {
  scheduled: "on schedule",
  manual: "manually",
  api: "through the API",
  backfill: "by backfill",
  webhook: "by a webhook",
};

/** @param isTest states in the headline that no event has happened */
export function toFacts(payload: Payload, isTest: boolean): Facts {
  const isFailure = payload.trigger === "failure";
  const isFlow = payload.resourceType === "flow";
  return {
    headline: `${isTest ? "Test: " : ""}${payload.resourceName} ${isFailure ? "failed" : "succeeded"}`,
    isFailure,
    action: isFlow ? "Open flow" : "Open console",
    rows: [
      { label: isFlow ? "Flow" : "Scheduled query", value: payload.resourceName },
      { label: "Status", value: isFailure ? "Failed" : "Succeeded" },
      { label: "Completed", value: toUtc(payload.completedAt) },
      { label: "Duration", value: formatDuration(payload.durationMs) },
      ...(payload.rowCount === undefined ? [] : [{ label: "Rows", value: formatCount(payload.rowCount) }]),
      { label: "Started", value: HOW[payload.triggerType] },
    ],
    error: payload.errorMessage,
  };
}

/** Formats "22 Nov 2026, 06:00:05 UTC": readers are in many zones, so the zone is included. */
function toUtc(iso: string): string {
  const { day, month, year, hour, minute, second } = clockPartsOf(new Date(iso), "UTC");
  return `${day} ${month} ${year}, ${hour}:${minute}:${second} UTC`;
}
