import type { DateAsk } from "../frame";
import type { FoundDate } from "../link";
import type { Ref } from "../plan";
import { readBareComparison } from "./comparisons";
import type { Reading } from "./reading";
import { subjectTable } from "./target";
import { isNegatedAt } from "./values";

/* Reads the times that filter rows. */

export function readDates(reading: Reading): void {
  const frame = reading.frame;
  for (const later of reading.laterFilters) frame.filters.push(...later());
  for (const bounds of reading.laterComparisons) readBareComparison(reading, bounds);
  for (const date of reading.linked.dates) {
    if (isTakenYear(reading, date)) continue;
    reading.take({ from: date.fromToken, to: date.toToken });
    const verb = dateColumn(reading, date);
    const isNegated = isNegatedAt(reading, date.fromToken) && !date.isOpen;
    frame.dates.push({ start: date.start, end: date.end, ref: verb, isNegated } satisfies DateAsk);
  }
  // Dates that only name the event: "how many were returned".
  for (const mention of reading.linked.mentions) {
    if (reading.used.has(mention) || reading.isTable(mention)) continue;
    const ref = reading.pick(mention, ({ column }) => column.kind === "date");
    const subject = subjectTable(reading);
    if (!ref) continue;
    for (const dim of frame.dims)
      if (dim.kind === "time" && dim.ref === null && (!subject || ref.table === subject)) dim.ref = ref;
    reading.take(mention);
    if (
      ref.table === subject &&
      ref.column.nullable &&
      frame.dates.length === 0 &&
      frame.dims.every(({ kind }) => kind !== "time")
    ) {
      frame.filters.push({ kind: "null", ref, isNegated: true });
      reading.used.add(mention);
    } else if (subject && ref.table !== subject && reading.schema.isAbove(ref.table, subject)) {
      reading.used.add(mention);
      reading.addEvent(ref.table, mention);
    }
  }
  const [event] = reading.events;
  const [measure] = frame.measures;
  // "How many books were borrowed" counts loans. "Were borrowed" is about the loans, "have borrowed" about the
  // borrowers.
  const isRelative = !reading.isPassive && frame.dims.length === 0;
  if (
    event &&
    measure?.fn === "count" &&
    measure.table &&
    !measure.isDistinct &&
    frame.exists.length === 0 &&
    !isRelative
  )
    measure.table = event;
}

function isTakenYear(reading: Reading, { isBareYear, fromToken, toToken }: FoundDate): boolean {
  if (!isBareYear) return false;
  for (let i = fromToken; i < toToken; i++) if (reading.taken.has(i)) return true;
  return false;
}

/** Returns the date that the words around a span mean. */
function dateColumn(reading: Reading, date: FoundDate): Ref | null {
  const near = reading.linked.mentions
    .filter((mention) => mention.columns.some(({ ref }) => ref.column.kind === "date" || ref.column.isYear))
    .map((mention) => ({
      mention,
      gap: mention.to <= date.fromToken ? date.fromToken - mention.to : mention.from - date.toToken + 2,
    }))
    .filter(({ gap }) => gap >= 0 && gap <= 8)
    .sort((a, b) => a.gap - b.gap);
  for (const { mention } of near) {
    // A word that names a status is not a time.
    if (reading.used.has(mention) && mention.values.length > 0) continue;
    const subjectOf = subjectTable(reading);
    const isSure = ({ table, column }: Ref) =>
      table === subjectOf || mention.columns.some(({ ref, fit }) => ref.column === column && fit >= 0.9);
    const ref = reading.pick(mention, (each) => (each.column.kind === "date" || each.column.isYear) && isSure(each));
    if (!ref) continue;
    if (!reading.isTable(mention)) {
      if (!reading.used.has(mention)) reading.use(mention);
      const subject = subjectTable(reading);
      if (subject && ref.table !== subject && reading.schema.isAbove(ref.table, subject))
        reading.addEvent(ref.table, mention);
      // "Solved per month" counts by the day of solving.
      for (const dim of reading.frame.dims) {
        if (dim.kind === "time" && dim.ref === null && ref.table === subject && ref.column.kind === "date")
          dim.ref = ref;
      }
      return ref;
    }
  }
  return null;
}
