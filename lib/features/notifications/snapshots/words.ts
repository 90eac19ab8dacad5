import type { SnapshotPayload } from "../snapshot-schema";

/** What a person reads beside a picture; the rest is on it, and on the page. */
const WIDGETS_MAX = 24;
const LINES_MAX = 6;
const LINE_CHARS_MAX = 300;

/** When it was taken, by its own clock: "Mon 23 Nov 2026, 08:00 Europe/Vienna". */
export function stampOf({ takenAt, timezone }: Pick<SnapshotPayload, "takenAt" | "timezone">): string {
  const text = new Date(takenAt).toLocaleString("en-GB", {
    ...{ timeZone: timezone, weekday: "short", day: "numeric", month: "short", year: "numeric" },
    ...{ hour: "2-digit", minute: "2-digit" },
  });
  return `${text} ${timezone}`;
}

/** The figures of a snapshot in words, as many as somebody reads. */
export function toSnapshotWords({ widgets }: Pick<SnapshotPayload, "widgets">): SnapshotPayload["widgets"] {
  return widgets.slice(0, WIDGETS_MAX).map(({ title, lines }) => ({
    title,
    lines: lines
      .slice(0, LINES_MAX)
      .map((line) => (line.length > LINE_CHARS_MAX ? `${line.slice(0, LINE_CHARS_MAX).toWellFormed()}…` : line)),
  }));
}
