import type { Table } from "../schema";
import { GRAMMAR } from "../words";
import { type Reading, tableOf } from "./reading";
import { subjectOf, subjectTable } from "./target";
import { isNegatedAt } from "./values";

/* Reads missing related rows: "without orders", "never". */

/** Reads "without", "never" and "no": rows that lack related rows. */
export function readMissing(reading: Reading): void {
  readLacking(reading);
  readNegatedWords(reading);
  readNotDone(reading);
  readHaving(reading);
}

/** Reads "without orders" and "never ordered". */
function readLacking(reading: Reading): void {
  const frame = reading.frame;
  const before = reading.frame.target;
  for (const range of reading.all(
    "without(?: any| an| a)?|with no|have no|has no|had no|having no|lacking|missing|(?:don't|do not|doesn't|does not|didn't|did not|haven't|have not|hasn't|has not)(?: (?:have|had|say|state|give|got))?(?: any| an| a)?|not have(?: any| an| a)?|have never|has never|had never|never|nobody(?: has| have)?|no one(?: has| have)?|not been|were not|was not|is not|are not|aren't|isn't|not|never been|unable|no",
  )) {
    if (reading.taken.has(range.from) && reading.taken.has(range.to - 1)) continue;
    const mention = reading.next(
      range.to,
      4,
      (each) =>
        reading.isTable(each) ||
        each.columns.some(({ ref }) => ref.column.kind !== "boolean") ||
        each.columns.length > 0,
    );
    if (!mention) continue;
    const isNever = /never|yet/.test(`${range.match[0]} ${reading.lower(mention.to)}`);
    if (mention.values.length > 0 && !isNever) continue;
    const isNoun = !/^(?:were not|was not|is not|are not|aren't|isn't|not)$/.test(range.match[0].trim());
    const event = reading.pick(mention, ({ column }) => column.kind === "date");
    const table = reading.isTable(mention) ? reading.table(mention) : null;
    const subject = before ?? subjectOf(reading, mention);
    if (event && event.table === subject && event.column.nullable && !table) {
      frame.filters.push({ kind: "null", ref: event, isNegated: false });
    } else if (table && subject && table !== subject && isNoun) {
      addAnti(reading, subject, table);
    } else if (event && subject && event.table !== subject && isNoun) {
      addAnti(reading, subject, event.table);
    } else if (reading.isTable(mention) && mention.columns.length === 0) {
      continue;
    } else {
      const ref =
        reading.pick(
          mention,
          ({ column, table: each }) => column.kind !== "boolean" && (!subject || each === subject),
        ) ?? null;
      if (!ref || !isNoun) continue;
      frame.filters.push({ kind: "null", ref, isNegated: false });
    }
    reading.use(mention);
    reading.take(range);
    // "Never opened a ticket": the rest of the clause says the same.
    const more = reading.next(mention.to, 3, (each) => reading.isTable(each));
    if (more && !reading.used.has(more)) {
      const anti = frame.exists.at(-1);
      const other = reading.table(more);
      if (anti && other && other !== subject && reading.isUnder(other, subject)) {
        anti.table = other === anti.table || !reading.isUnder(anti.table, other) ? other : anti.table;
        reading.use(more);
      }
    }
  }
}

/** Reads "unassigned" and "inactive": an empty column, or a false one. */
function readNegatedWords(reading: Reading): void {
  const frame = reading.frame;
  for (const range of reading.all("(un|in|non-?|not )(\\w+)")) {
    const i = range.to - 1;
    if (reading.taken.has(i)) continue;
    const stem = reading.stem(i).replace(/^(?:un|in|non)/, "");
    const word = reading.lower(i);
    if (!/^(?:un|in)/.test(word) || GRAMMAR.has(word) || reading.at(i)?.fit === 1 || reading.at(i)?.values.length)
      continue;
    const tables = [
      frame.target,
      ...frame.dims.map(tableOf),
      ...reading.linked.mentions.map((each) => reading.table(each)),
      ...reading.focus,
    ].filter((each) => each !== null);
    const found = tables
      .flatMap((table) => table.columns.map((column) => ({ table, column })))
      .find(({ column }) => column.words.includes(stem));
    const key =
      found ??
      tables
        .flatMap((table) => table.columns.map((column) => ({ table, column })))
        .find(
          ({ column }) =>
            column.isReference &&
            column.nullable &&
            column.words.some((each) => each.startsWith(stem) && stem.length >= 4),
        );
    if (!key) continue;
    // Excluding the inactive ones leaves the active ones.
    const isNegated = isNegatedAt(reading, i);
    if (key.column.kind === "boolean") frame.filters.push({ kind: "compare", ref: key, op: "=", value: isNegated });
    else frame.filters.push({ kind: "null", ref: key, isNegated });
    reading.take({ from: i, to: i + 1 });
    const mention = reading.at(i);
    if (mention) reading.use(mention);
  }
}

/** Reads "not assigned to anyone": the column for a person is empty. */
function readNotDone(reading: Reading): void {
  const frame = reading.frame;
  for (const range of reading.all(
    "(?:not|never|n't|isn't|aren't|wasn't|weren't|hasn't|haven't)(?: been| yet)* (\\w+ed)",
  )) {
    const i = range.to - 1;
    const table = subjectTable(reading);
    const stem = reading.stem(i);
    const column = table?.columns.find(
      (each) => each.nullable && (each.isReference || each.kind === "date") && each.words.includes(stem),
    );
    if (!table || !column || reading.taken.has(i) || (reading.at(i)?.values.length ?? 0) > 0) continue;
    frame.filters.push({ kind: "null", ref: { table, column }, isNegated: false });
    reading.take(range);
    const mention = reading.at(i);
    if (mention) reading.use(mention);
  }
}

/** Reads "with an assignee": a column that is not empty. */
function readHaving(reading: Reading): void {
  const frame = reading.frame;
  for (const range of reading.all(
    "(?:with|has|have|having|left|wrote|came with|contain|contains|including) (?:a|an|any|some) (\\w+)",
  )) {
    const mention = reading.linked.mentions.find((each) => each.from === range.to - 1);
    const ref =
      mention && !reading.used.has(mention)
        ? reading.pick(mention, ({ column, table }) => column.nullable && (!frame.target || table === frame.target))
        : null;
    if (!mention || !ref || ref.column.kind === "boolean" || mention.values.length > 0) continue;
    if (/^(?:of|that|which|over|above|below|under)$/.test(reading.lower(range.to)) || reading.taken.has(range.to))
      continue;
    frame.filters.push({ kind: "null", ref, isNegated: true });
    reading.use(mention);
  }
}

function addAnti(reading: Reading, subject: Table, table: Table): void {
  reading.frame.target ??= subject;
  reading.frame.exists.push({ table, isNegated: true });
}
