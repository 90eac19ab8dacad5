import { countOf, figureOf, type MeasureAsk } from "../frame";
import type { Mention } from "../link";
import type { Predicate, Ref } from "../plan";
import { mainMeasure } from "../schema";
import { COMPARISONS } from "../words";
import { amountsOf } from "./amounts";
import { type Bounds, isAmount, NUMBER, numberOf, type Range, type Reading } from "./reading";
import { subjectOf, subjectTable } from "./target";

/* Reads comparisons with numbers: "more than 10", "between 5 and 7". */

export function readComparisons(reading: Reading): void {
  for (const range of reading.all(`between ${NUMBER} (?:and|to) ${NUMBER}`)) {
    const [low, high] = [numberOf(range.match[1]), numberOf(range.match[2])];
    if (reading.linked.dates.some(({ fromToken, toToken }) => fromToken < range.to && toToken > range.from)) {
      const mention = reading.next(range.to, 1, (each) => reading.isNumber(each));
      if (!mention) continue;
    }
    readComparison(reading, range, [[">=", low], ["<=", high]]); // biome-ignore format: short
  }
  for (const [source, op] of COMPARISONS) {
    for (const range of reading.all(`(?:${source}) ${NUMBER}`)) {
      if ([...Array(range.to - range.from).keys()].some((i) => reading.taken.has(range.from + i))) continue;
      readComparison(reading, range, [[op, numberOf(range.match[1])]]);
    }
  }
  for (const range of reading.all(`${NUMBER} (?:or|and) (more|above|over|higher|less|fewer|below|under|lower)`)) {
    const op = /more|above|over|higher/.test(range.match[2] ?? "") ? ">=" : "<=";
    readComparison(reading, range, [[op, numberOf(range.match[1])]]);
  }
}

function readComparison(reading: Reading, range: Range, bounds: Bounds): void {
  reading.take(range);
  const after = reading.next(range.to, 2, (mention) => reading.isNumber(mention) || reading.isTable(mention));
  const isNear =
    after &&
    !reading.wordsBetween(range.to, after.from).some((word) => /^(in|for|with|that|who|which|by|per)$/.test(word));
  const before = reading.lastBefore(range.from, (mention) => reading.isNumber(mention));
  if (before && /^costs?$/.test(reading.lower(before.to - 1))) {
    // "What things cost" is their price; "their cost" is the amount paid for them.
    const priced = reading.schema.tables.flatMap((table) =>
      table.columns
        .filter(({ words, kind }) => kind === "number" && words.some((word) => /^pri(?:c|ce)$/.test(word)))
        .map((column) => ({ ref: { table, column }, fit: 1 })),
    );
    const subject = subjectOf(reading, before);
    const own = priced.filter(({ ref }) => ref.table === (subject ?? before.columns[0]?.ref.table));
    if (own.length > 0) before.columns = own;
  }
  // "more than 10 in fines" compares the sum of the fines.
  const inside =
    after &&
    !isNear &&
    reading.wordsBetween(range.to, after.from).every((word) => /^(in|of|worth|total|euros?|dollars?)$/.test(word));
  if (after && isNear && reading.isNumber(after)) {
    reading.use(after);
    compareNumbers(reading, after, bounds);
  } else if (after && inside && reading.isTable(after)) {
    reading.use(after);
    const table = reading.table(after);
    const ref = table && mainMeasure(table);
    if (table && ref) addHaving(reading, figureOf("sum", [{ ref: { table, column: ref }, fit: 1 }]), bounds);
  } else if (after && isNear) {
    reading.use(after);
    addHaving(reading, countOf(reading.table(after)), bounds);
  } else if (before) {
    reading.use(before);
    const aggregate = reading.wordsBetween(Math.max(0, before.from - 3), before.from).join(" ");
    const fn = /average|avg|mean/.test(aggregate) ? "avg" : /total|sum|combined/.test(aggregate) ? "sum" : null;
    if (fn) {
      reading.take({ from: Math.max(0, before.from - 3), to: before.from });
      addHaving(reading, figureOf(fn, amountsOf(reading, before)), bounds);
    } else compareNumbers(reading, before, bounds);
  } else {
    reading.laterComparisons.push(bounds);
  }
}

function compareNumbers(reading: Reading, mention: Mention, bounds: Bounds): void {
  reading.laterFilters.push(() => {
    const ref = reading.pick(mention, isAmount) ?? reading.pick(mention);
    return ref ? bounds.map(([op, value]): Predicate => ({ kind: "compare", ref, op, value })) : [];
  });
}

function addHaving(reading: Reading, measure: MeasureAsk, bounds: Bounds): void {
  for (const [op, value] of bounds) reading.frame.having.push({ measure, op, value });
}

export function readBareComparison(reading: Reading, bounds: Bounds): void {
  const table = subjectTable(reading);
  const column = table && mainMeasure(table);
  if (table && column)
    for (const [op, value] of bounds)
      reading.frame.filters.push({ kind: "compare", ref: { table, column }, op, value });
}

export function readLooseNumbers(reading: Reading): void {
  const frame = reading.frame;
  const byRef = new Map<string, { ref: Ref; values: number[] }>();
  let last: Ref | null = null;
  for (const [i, token] of reading.linked.tokens.entries()) {
    if (token.number === null || reading.taken.has(i) || reading.isDateToken(i)) continue;
    const before = reading.wordsBetween(Math.max(0, i - 3), i);
    if (!before.some((word) => /^(of|with|=|is|score|rated|rating|equal|or|and|at|to|exactly)$/.test(word))) continue;
    const named = reading.linked.mentions.filter((mention) => mention.to <= i && i - mention.to <= 4).at(-1);
    const table = named && reading.isTable(named) ? reading.table(named) : null;
    const column = table && mainMeasure(table);
    const ref: Ref | null =
      (named && !reading.isTable(named) ? reading.pick(named, isAmount) : null) ??
      (table && column ? { table, column } : null) ??
      last;
    if (!ref) continue;
    last = ref;
    const key = `${ref.table.id} ${ref.column.name}`;
    const group = byRef.get(key) ?? { ref, values: [] };
    group.values.push(token.number);
    byRef.set(key, group);
    reading.take({ from: i, to: i + 1 });
    if (named && !reading.isTable(named)) reading.use(named);
  }
  for (const { ref, values } of byRef.values()) frame.filters.push({ kind: "in", ref, values, isNegated: false });
}
