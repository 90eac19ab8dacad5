import { formatZoned } from "@/lib/base/values/clock-parts";
import type { SnapshotPayload } from "../payload-schema";

/** Limits of the text beside a picture; the rest is in the picture and on the page. */
const WIDGETS_MAX = 24;
const LINES_MAX = 6;
const LINE_CHARS_MAX = 300;

/** Formats the time of a snapshot, in its zone. */
export function stampOf({ takenAt, timezone }: Pick<SnapshotPayload, "takenAt" | "timezone">): string {
  return formatZoned(new Date(takenAt), timezone);
}

/** Returns the figures of a snapshot as text, within these limits. */
export function toSnapshotWords({ widgets }: Pick<SnapshotPayload, "widgets">): SnapshotPayload["widgets"] {
  return widgets.slice(0, WIDGETS_MAX).map(({ title, lines }) => ({
    title,
    lines: lines
      .slice(0, LINES_MAX)
      .map((line) => (line.length > LINE_CHARS_MAX ? `${line.slice(0, LINE_CHARS_MAX).toWellFormed()}…` : line)),
  }));
}
