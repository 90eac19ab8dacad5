import type { SnapshotPayload } from "../payload-schema";

/** Limits of the text beside a picture; the rest is in the picture and on the page. */
const WIDGETS_MAX = 24;
const LINES_MAX = 6;
const LINE_CHARS_MAX = 300;

/** Formats the time of a snapshot, in its zone: "Mon 23 Nov 2026, 08:00 Europe/Vienna". */
export function stampOf({ takenAt, timezone }: Pick<SnapshotPayload, "takenAt" | "timezone">): string {
  const text = new Date(takenAt).toLocaleString("en-GB", {
    ...{ timeZone: timezone, weekday: "short", day: "numeric", month: "short", year: "numeric" },
    ...{ hour: "2-digit", minute: "2-digit" },
  });
  return `${text} ${timezone}`;
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
