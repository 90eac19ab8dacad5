import type { DimAsk } from "../frame";
import type { Mention } from "../link";
import type { Predicate } from "../plan";
import { GRAINS, isAmount, type Range, type Reading } from "./reading";

/* Reads groups: "per month", "by city", and shares. */

export function readShares(reading: Reading): void {
  const range = reading.first(
    "(?:what |which )?(?:is the |are the )?(?:share|percentage|percent|proportion|fraction|ratio|%)(?: share)?(?: of)?",
  );
  const isTail = reading.has("in percent|as a percentage|as percentages|in per cent|%");
  if (range && !/^(?:in )/.test(range.match[0])) {
    reading.take(range);
    reading.frame.share = { where: null };
  } else if (isTail) reading.frame.share = { where: null };
}

export function readGroups(reading: Reading): void {
  const frame = reading.frame;
  const isRanked = reading.rankedFrom !== null || reading.superlative !== null;
  for (const range of reading.all(
    "daily|weekly|monthly|quarterly|yearly|annual|annually|over time|day by day|month by month|month over month|year over year|(?:which|what|on which|in which|in what|on what|on what) (?:day|date|week|month|quarter|year)",
  )) {
    if (range.match[0].startsWith("over")) frame.dims.push({ kind: "time", grain: "month", ref: null });
    else {
      const grain = GRAINS[range.match[0].split(" ").at(-1) ?? ""];
      if (grain === undefined || (/^what|^which/.test(range.match[0]) && !reading.mostAt && !frame.order)) continue;
      // "Monthly salary" is a column.
      if (reading.at(range.from)?.fit === 1) continue;
      frame.dims.push({ kind: "time", grain, ref: null });
      if (reading.mostAt && /^(?:on |in )?(?:which|what)/.test(range.match[0])) frame.limit ??= 1;
    }
    reading.take(range);
  }
  const markers =
    "grouped by|group by|broken down by|break it down by|break that down by|break this down by|break them down by|down by|split by|split up by|split|by each|for each|for every|in each|at each|of each|from each|on each|to each|with each|in every|in all|each|every|per|by|across|for the different|between the different";
  for (const range of reading.all(`(?:${markers})`)) {
    readGroup(reading, range, isRanked);
  }
}

function readGroup(reading: Reading, range: Range, isRanked: boolean): void {
  const frame = reading.frame;
  if (reading.taken.has(range.from)) return;
  const word = range.match[0].trim().split(" ")[0] ?? "";
  let at = range.to;
  for (let first = true; ; first = false) {
    while (/^(the|our|their|its|all|different|distinct|each|every|of|a|an)$/.test(reading.lower(at))) at++;
    const mention = reading.linked.mentions.find((each) => each.from === at);
    const grain = GRAINS[reading.lower(at)];
    if (mention && !reading.used.has(mention) && (grain === undefined || mention.fit >= 0.98)) {
      if (mention.values.length > 0 && !reading.isTable(mention) && mention.columns.length === 0) return;
      const isMetric = reading.isNumber(mention) && !mention.columns.some(({ ref }) => ref.column.isYear);
      if (word === "by" && isRanked && first) {
        reading.metricFrom = range.to;
        return;
      }
      if (isMetric && !/^(?:by|per|each)$/.test(word)) return;
      // "Average items per order" divides by orders.
      if (
        word === "per" &&
        reading.isTable(mention) &&
        reading.has("(?:average|avg|mean) (?:number|count|\\w+ counts?)")
      ) {
        reading.perAt = mention;
        reading.take(range);
        return;
      }
      const dim = dimOf(reading, mention);
      if (!dim) return;
      reading.use(mention);
      // "By hire year" is by the year of the date.
      const ownGrain = GRAINS[reading.lower(mention.to)];
      if (dim.kind === "time" && ownGrain !== undefined) {
        dim.grain = ownGrain;
        reading.take({ from: mention.to, to: mention.to + 1 });
      }
      frame.dims.push(dim);
      at = mention.to + (dim.kind === "time" && ownGrain !== undefined ? 1 : 0);
    } else if (grain !== undefined && !reading.isDateToken(at)) {
      frame.dims.push({ kind: "time", grain, ref: null });
      reading.take({ from: at, to: at + 1 });
      at++;
    } else {
      if (first && word === "by") reading.metricFrom = reading.metricFrom ?? (isRanked ? range.to : null);
      return;
    }
    reading.take(range);
    if (!/^(and|,|then)$/.test(reading.lower(at))) return;
    const next = reading.linked.mentions.find((each) => each.from > at && each.from <= at + 3);
    const follows =
      GRAINS[reading.lower(at + 1)] !== undefined ||
      (next && (reading.isTable(next) || next.columns.some(({ ref }) => !isAmount(ref))));
    if (!follows) return;
    at++;
    if (/^(and|by|per)$/.test(reading.lower(at))) at++;
  }
}

function dimOf(reading: Reading, mention: Mention): DimAsk | null {
  const table = reading.isTable(mention) ? reading.table(mention) : null;
  if (table) return { kind: "entity", table };
  const [best] = mention.columns;
  if (!best) return null;
  const ref = reading.nearest(mention.columns) ?? best.ref;
  return ref.column.kind === "date" ? { kind: "time", grain: "day", ref } : { kind: "column", ref };
}

export function rankedDim(reading: Reading, mention: Mention): DimAsk | null {
  if (reading.isTable(mention)) {
    const table = reading.table(mention);
    return table ? { kind: "entity", table } : null;
  }
  const ref = reading.pick(mention, (each) => !isAmount(each) && each.column.kind !== "date");
  return ref ? { kind: "column", ref } : null;
}

/**
 * Splits the conditions of a share. In "what percentage of enterprise customers in Germany get the newsletter", the
 * last one is the numerator.
 */
export function splitShare(reading: Reading): void {
  const frame = reading.frame;
  const filters = frame.filters;
  if (filters.length === 0 && frame.exists.length === 0) return;
  if (filters.length > 0) {
    const wanted = filters.pop() as Predicate;
    frame.share = { where: [wanted] };
  }
  frame.measures = [];
}
