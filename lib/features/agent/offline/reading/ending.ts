import { GRAMMAR } from "../words";
import { readLooseNumbers } from "./comparisons";
import { splitShare } from "./groups";
import type { Reading } from "./reading";
import { alsoAbout, happened } from "./target";

/* Completes a question after all parts are read. */

export function finish(reading: Reading): void {
  const frame = reading.frame;
  // Numbers beside a column: "ratings of 1 or 2".
  readLooseNumbers(reading);
  const isYes = reading.frame.share !== null && frame.dims.length === 0;
  if (isYes && frame.share) splitShare(reading);
  for (const mention of reading.linked.mentions) {
    if (reading.used.has(mention)) continue;
    if (reading.isTable(mention)) {
      const table = reading.table(mention);
      if (!frame.target && table) frame.target = table;
      else if (table && frame.target && table !== frame.target && frame.dims.length === 0) {
        if (/ed$/i.test(reading.lower(mention.from))) happened(reading, table);
        else if (frame.measures.length === 0) alsoAbout(reading, table);
      }
      reading.take(mention);
    } else if (mention.columns.length > 0) {
      const ref = reading.pick(mention);
      if (ref && frame.measures.length === 0) frame.shown.push(ref);
      reading.take(mention);
    }
  }
  if (!frame.target && frame.shown[0] && frame.measures.length === 0 && frame.dims.length === 0)
    frame.target = frame.shown[0].table;
  const named = reading.linked.mentions
    .filter((mention) => !reading.used.has(mention))
    .map((mention) => reading.table(mention));
  const [counting] = frame.measures;
  // "Lent out the most books" counts what is lent.
  if (counting?.fn === "count" && counting.table && frame.dims.length > 0 && frame.order) {
    const counted = counting.table;
    const between = named.find(
      (table) =>
        table !== null &&
        table !== counted &&
        reading.schema.isAbove(table, counted) &&
        frame.dims.every((dim) => dim.kind !== "entity" || reading.schema.isAbove(table, dim.table)),
    );
    if (between) counting.table = between;
  }
  const isListing =
    frame.measures.length === 0 &&
    frame.dims.length === 0 &&
    frame.order === null &&
    !frame.share &&
    frame.having.length === 0;
  const [only] = frame.shown;
  if (
    isListing &&
    only &&
    frame.shown.length === 1 &&
    frame.filters.length === 0 &&
    only.column.kind === "text" &&
    frame.exists.length === 0
  ) {
    const isNamed = /^(name|titl|subject)$/.test(only.column.words.at(-1) ?? "") && only.table === frame.target;
    if (!isNamed || reading.has("distinct|different|unique")) frame.isDistinctList = true;
  }
}

/** Words of the grammar that change an answer, so that none may be ignored. */
const TELLING =
  /^(?:best|worst|highest|lowest|largest|smallest|biggest|first|last|max|maximum|min|minimum|average|avg|unique)$/;

/** Returns the unused words that change the answer, and the unused numbers. */
export function leftOver(reading: Reading): string[] {
  const isTelling = ({ lower, number }: Reading["linked"]["tokens"][number]) =>
    number !== null || TELLING.test(lower) || (!GRAMMAR.has(lower) && /[\p{L}]/u.test(lower));
  return reading.linked.tokens
    .filter((token, i) => !reading.taken.has(i) && !reading.isDateToken(i) && isTelling(token))
    .map(({ raw }) => raw);
}
