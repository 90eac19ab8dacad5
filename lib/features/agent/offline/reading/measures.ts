import { countOf, figureOf, type MeasureAsk } from "../frame";
import type { Mention } from "../link";
import type { Ref } from "../plan";
import { mainMeasure } from "../schema";
import { GRAMMAR } from "../words";
import { amountsOf, amountsOfMoneyWord, lastingAmounts, quantityOf } from "./amounts";
import { readBareMeasures, readSuperlatives } from "./ranking";
import { isAmount, type Range, type Reading, sameMeasure } from "./reading";

/* Reads measures: counts, sums and averages. */

export function readMeasures(reading: Reading): void {
  const frame = reading.frame;
  if (reading.sortedFrom !== null) {
    const mention = reading.next(reading.sortedFrom, 4);
    const ref = mention && reading.pick(mention);
    const isCounted = reading
      .wordsBetween(reading.sortedFrom, reading.sortedFrom + 3)
      .some((word) => /number|count|total|sum|average/.test(word));
    if (mention && ref && !isCounted && frame.dims.length === 0) {
      frame.order = { ref, isDescending: frame.order?.isDescending ?? false };
      reading.use(mention);
    }
  }
  if (reading.metricFrom !== null) {
    const from = reading.metricFrom;
    const measure = measureFrom(reading, from, clauseEnd(reading, from));
    const ref = measure?.refs[0]?.ref;
    if (measure && frame.dims.length > 0) {
      // A number of the ranked rows themselves ranks them without aggregation.
      const [dim] = frame.dims;
      if (dim?.kind === "entity" && measure.fn === "sum" && ref?.table === dim.table && !measure.isExplicit) {
        frame.target = dim.table;
        frame.dims.shift();
        frame.order = { ref, isDescending: frame.order?.isDescending ?? true };
      } else frame.measures.push(measure);
    } else if (measure && reading.superlative) reading.superlativeMeasure = ref ?? null;
  }
  if (reading.mostAt && (frame.dims.length > 0 || reading.has("who|whom")) && frame.measures.length === 0) {
    const measure = measureFrom(reading, reading.mostAt.to, clauseEnd(reading, reading.mostAt.to));
    if (measure) frame.measures.push(measure);
  }
  const asks: [string, (range: Range) => MeasureAsk | null][] = [
    [
      "(?:average|avg|mean|typical)(?: number of| count of| amount of)?",
      (range) => readAggregate(reading, "avg", range),
    ],
    [
      "(?:total|sum|overall|combined|cumulative)(?: of| number of| amount of)?(?: the| all)*",
      (range) => readAggregate(reading, "sum", range),
    ],
    [
      "how many|number of|count of|count all|count the|counts of|count|counts|no of|how often",
      (range) => readCount(reading, range),
    ],
    ["how much", (range) => readAggregate(reading, "sum", range)],
    ["on average", () => onAverage(reading)],
  ];
  for (const [source, toMeasure] of asks) {
    for (const range of reading.all(source)) {
      if (reading.taken.has(range.from) || reading.sortedFrom === range.to) continue;
      if (/^(?:total|overall|sum|combined)/.test(range.match[0]) && reading.lower(range.from - 1) === "in") {
        reading.inTotal = true;
        reading.take(range);
        continue;
      }
      const measure = toMeasure(range);
      if (!measure) continue;
      reading.take(range);
      if (!frame.measures.some((each) => sameMeasure(each, measure))) frame.measures.push(measure);
    }
  }
  readSuperlatives(reading);
  if (frame.measures.length === 0 && !frame.target) readBareMeasures(reading);
}

/** "What do we refund on average": what the sentence is about, before or behind. */
function onAverage(reading: Reading): MeasureAsk | null {
  const free = reading.linked.mentions.filter((mention) => !reading.used.has(mention) && mention.values.length === 0);
  const amount = free.find((mention) => reading.isNumber(mention));
  if (amount) {
    reading.use(amount);
    return figureOf("avg", amountsOf(reading, amount));
  }
  const happened = readHappened(reading, free);
  return happened && { ...happened, fn: "avg" };
}

function clauseEnd(reading: Reading, from: number): number {
  for (let i = from; i < reading.linked.tokens.length; i++) {
    if (/^[?.,;:]$/.test(reading.lower(i)) || reading.isDateToken(i)) return i;
  }
  return reading.linked.tokens.length;
}

function measureFrom(reading: Reading, from: number, to: number): (MeasureAsk & { isExplicit: boolean }) | null {
  const words = reading.wordsBetween(from, to).join(" ");
  const fn = /\b(average|avg|mean)\b/.test(words)
    ? "avg"
    : /\b(total|sum|overall|combined)\b/.test(words)
      ? "sum"
      : null;
  const isCount = /\b(number|count)\b/.test(words);
  const free = reading.linked.mentions.filter(
    (mention) => mention.from >= from && mention.to <= to && !reading.used.has(mention),
  );
  const amount = free.find((mention) => reading.isNumber(mention));
  const quantity = quantityOf(reading, from, to);
  if (quantity && (!amount || !fn)) {
    reading.take({ from, to });
    for (const mention of free) if (reading.isTable(mention)) reading.use(mention);
    return { ...quantity, isExplicit: true };
  }
  if (amount && !isCount) {
    reading.use(amount);
    reading.take({ from, to: amount.to });
    return { ...figureOf(fn ?? "sum", amountsOf(reading, amount)), isExplicit: fn !== null };
  }
  const money = amountsOfMoneyWord(reading, from, to);
  const counted = free.find((mention) => reading.isTable(mention));
  if (money.length > 0 && !isCount && !counted) return { ...figureOf(fn ?? "sum", money), isExplicit: fn !== null };
  if (counted) {
    reading.use(counted);
    reading.take({ from, to: counted.to });
    const table = reading.table(counted);
    const column = fn && table ? mainMeasure(table) : null;
    if (fn && table && column) return { ...figureOf(fn, [{ ref: { table, column }, fit: 1 }]), isExplicit: true };
    return { ...countOf(table, /\b(distinct|different|unique)\b/.test(words)), isExplicit: true };
  }
  // "Borrowed most often" counts what has the date of it.
  const event = reading.linked.mentions.find(
    (mention) => !reading.used.has(mention) && mention.columns.some(({ ref }) => ref.column.kind === "date"),
  );
  const ref = event && reading.pick(event, ({ column }) => column.kind === "date");
  if (event && ref) {
    reading.use(event);
    return { ...countOf(ref.table), isExplicit: true };
  }
  return null;
}

function readCount(reading: Reading, range: Range): MeasureAsk | null {
  const frame = reading.frame;
  const isDistinct = reading
    .wordsBetween(range.to, range.to + 2)
    .some((word) => /^(distinct|different|unique)$/.test(word));
  const quantity = quantityOf(reading, range.to, Math.min(clauseEnd(reading, range.to), range.to + 3));
  if (quantity) {
    reading.take({ from: range.to, to: range.to + 1 });
    const mention = reading.next(range.to, 0);
    if (mention) reading.use(mention);
    return quantity;
  }
  const counted = /^counts?$/.test(range.match[0])
    ? reading.lastBefore(range.from, (each) => reading.isTable(each), 0)
    : null;
  if (counted) {
    // "Order counts" are counts of orders.
    reading.use(counted);
    const table = reading.table(counted);
    frame.target ??= table;
    return countOf(table, isDistinct);
  }
  const mention = reading.next(range.to, 5, (each) => reading.isTable(each) || each.columns.length > 0);
  if (!mention) return countOf(null);
  if (reading.isTable(mention)) {
    reading.use(mention);
    const table = reading.table(mention);
    frame.target ??= table;
    return countOf(table, isDistinct);
  }
  const ref = reading.pick(mention, (each) => each.column.kind !== "date");
  const isCountedColumn =
    ref && (isDistinct || (ref.column.kind === "text" && mention.from <= range.to + 1 && mention.values.length === 0));
  if (ref && isCountedColumn) {
    reading.use(mention);
    frame.target ??= ref.table;
    return { fn: "count", isDistinct: true, table: null, refs: [{ ref, fit: 1 }], per: null };
  }
  if (ref && isAmount(ref) && mention.from <= range.to + 1) {
    reading.use(mention);
    return figureOf("sum", amountsOf(reading, mention));
  }
  return countOf(null, isDistinct);
}

function readAggregate(reading: Reading, fn: "avg" | "sum", range: Range): MeasureAsk | null {
  const frame = reading.frame;
  const end = Math.min(clauseEnd(reading, range.to), range.to + 8);
  const free = reading.linked.mentions.filter(
    (mention) => mention.from >= range.to && mention.from < end && !reading.used.has(mention),
  );
  const per = reading.perAt ? reading.table(reading.perAt) : null;
  if (fn === "avg" && per) {
    reading.use(reading.perAt as Mention);
    const counted = free.find((mention) => mention !== reading.perAt);
    const own = counted?.columns.find(({ ref }) => ref.table === per && isAmount(ref));
    const byWord =
      counted &&
      per.columns.find(
        (column) =>
          column.kind === "number" && !column.isReference && column.words.includes(reading.stem(counted.to - 1)),
      );
    if (counted) reading.use(counted);
    if (own || byWord) {
      const ref = own?.ref ?? { table: per, column: byWord as Ref["column"] };
      return figureOf("avg", [{ ref, fit: 1 }]);
    }
    const table = counted ? reading.table(counted) : null;
    if (table) {
      reading.take({ from: range.from, to: (counted?.to ?? range.to) + 1 });
      frame.target ??= table;
      return { fn: "count", isDistinct: false, table, refs: [], per };
    }
  }
  const amount = free.find((mention) => reading.isNumber(mention));
  const durations = lastingAmounts(reading, range.from, end);
  if (durations.length > 0 && (!amount || amount.fit < 0.9)) {
    if (amount) reading.use(amount);
    return figureOf(fn, durations);
  }
  const isTail = fn === "sum" && reading.linked.tokens.slice(range.to).every(({ lower }) => GRAMMAR.has(lower));
  const table =
    free.find((mention) => reading.isTable(mention)) ??
    (isTail ? reading.lastBefore(range.from, (mention) => reading.isTable(mention), 1) : null);
  if (range.match[0] === "how much" && !amount) {
    const happened = readHappened(reading, free);
    if (happened) return happened;
  }
  const quantity = fn === "sum" && !amount ? quantityOf(reading, range.to, end) : null;
  if (quantity) return quantity;
  if (amount && !(table && table.from < amount.from && fn === "sum" && /number|count/.test(range.match[0]))) {
    reading.use(amount);
    return figureOf(fn, amountsOf(reading, amount));
  }
  const money = amountsOfMoneyWord(reading, range.from, end);
  if (money.length > 0) return figureOf(fn, money);
  const counted = table ? reading.table(table) : null;
  if (!counted || !table) {
    // "How much did we collect in fines": what is behind the verb.
    return null;
  }
  if (/number|count/.test(range.match[0])) {
    reading.use(table);
    return countOf(counted);
  }
  const column = mainMeasure(counted);
  reading.use(table);
  frame.target ??= counted;
  return column ? figureOf(fn, [{ ref: { table: counted, column }, fit: 1 }]) : countOf(counted);
}

/** "How much was refunded", "how much came in by fines": what the table that is named adds up to. */
function readHappened(reading: Reading, free: readonly Mention[]): MeasureAsk | null {
  const isMoney = ({ words }: Ref["column"]) =>
    words.some((word) => /^(total|amount|pric|price|fee|cost|valu|revenu|salari|paid|balanc)$/.test(word));
  for (const mention of free) {
    const event = mention.columns.find(({ ref, fit }) => ref.column.kind === "date" && fit >= 0.9)?.ref.table;
    const tables = reading.isTable(mention) ? [reading.table(mention)] : event ? [event] : [];
    for (const table of tables) {
      const column = table && mainMeasure(table);
      if (!table || !column || !isMoney(column)) continue;
      reading.use(mention);
      return figureOf("sum", [{ ref: { table, column }, fit: 1 }]);
    }
  }
  return null;
}
