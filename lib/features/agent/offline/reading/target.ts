import type { Mention } from "../link";
import type { Ref } from "../plan";
import { eventDate, type Table } from "../schema";
import { rankedDim } from "./groups";
import { isAmount, type Range, type Reading } from "./reading";

/* Chooses the target of a question. */

/** Chooses the table that the question counts, lists or ranks. */
export function chooseTarget(reading: Reading): void {
  const frame = reading.frame;
  const free = reading.linked.mentions.filter((mention) => !reading.used.has(mention) && mention !== reading.perAt);
  const ranked = reading.rankedFrom;
  if (ranked !== null) {
    const mention = free.find(({ from }) => from >= ranked && from <= ranked + 2);
    const dim = mention && rankedDim(reading, mention);
    if (mention && dim) {
      frame.dims.unshift(dim);
      reading.use(mention);
      return;
    }
  }
  const [first] = free;
  const sorted = reading.sortedFrom;
  if (sorted !== null && frame.dims.length === 0 && first && first.to < sorted) {
    const isFigure = reading
      .wordsBetween(sorted, sorted + 3)
      .some((word) => /^(number|count|total|sum|average|avg)$/.test(word));
    const dim = isFigure ? rankedDim(reading, first) : null;
    if (dim) {
      frame.dims.push(dim);
      reading.use(first);
      return;
    }
  }
  // "Countries with more than 50 customers" are told apart by the column.
  if (frame.having.length > 0 && frame.dims.length === 0 && first && !reading.isTable(first)) {
    const isCounted = reading.has("how many|number of|count of");
    const ref = reading.pick(first, (each) => each.column.kind === "text");
    if (ref && !isCounted) {
      frame.dims.push({ kind: "column", ref });
      reading.use(first);
      return;
    }
  }
  if (reading.mostAt) {
    const most = reading.mostAt;
    const isPlain = most.match[2] !== undefined && !/often|frequently/.test(most.match[2]);
    // "The most common reasons", and "agents with the most tickets".
    const mention = isPlain
      ? free.find(({ from }) => from >= most.to && from <= most.to + 2)
      : free
          .filter(({ to }) => to <= most.from)
          .find(
            (each) =>
              reading.isTable(each) || each.columns.some(({ ref }) => !isAmount(ref) && ref.column.kind !== "date"),
          );
    const dim = mention && frame.dims.length === 0 ? rankedDim(reading, mention) : null;
    if (mention && dim) {
      frame.dims.push(dim);
      reading.use(mention);
      const isOne = !isPlain && frame.limit === null && !reading.isPlural(mention);
      if (isOne) frame.limit = 1;
      if (isPlain && frame.limit === null && !reading.isPlural(mention)) frame.limit = 1;
      return;
    }
  }
}

/** Reads "who" as the people that the counted rows belong to. */
export function readWhoever(reading: Reading): void {
  const frame = reading.frame;
  const [measure] = frame.measures;
  if (!measure || frame.dims.length > 0 || !reading.has("who|whom") || frame.order === null) return;
  const isPerson = ({ columns }: Table) =>
    columns.some(({ words }) => /^(first name|last name|full name|email|mail)$/.test(words.join(" ")));
  const events = reading.linked.mentions
    .filter((mention) => !reading.used.has(mention) && !reading.isTable(mention))
    .flatMap((mention) => mention.columns.filter(({ ref, fit }) => ref.column.kind === "date" && fit >= 0.9));
  const tables = [
    measure.table,
    ...measure.refs.map(({ ref }) => ref.table),
    ...events.map(({ ref }) => ref.table),
  ].filter((table) => table !== null);
  const found = reading.schema.tables
    .filter(isPerson)
    .flatMap((person) => tables.map((table) => ({ person, path: reading.schema.path(table, person, frame.hints) })))
    .filter(({ path }) => path !== null && path.length > 0 && path.every(({ isUp }) => isUp))
    .sort((a, b) => (a.path?.length ?? 0) - (b.path?.length ?? 0))[0];
  if (!found) return;
  frame.dims.push({ kind: "entity", table: found.person });
  frame.limit ??= 1;
}

/** Reads missing numbers: "no known number of employees", "employees unknown". */
export function readUnknowns(reading: Reading): void {
  const before =
    "(?:no|without|missing|unknown|(?:do not|don't|does not|doesn't|did not|didn't|have not|haven't) (?:say|said|state|stated|tell|told|give|given|report|reported|list|know|have|specify|specified|provide|provided))(?: (?:us|a|an|any|the|known|stated|given|their|how|many|much|number|count|of|its))*";
  for (const range of reading.all(before)) {
    const mention = reading.linked.mentions.find(({ from }) => from === range.to);
    const ref =
      mention && !reading.used.has(mention) && reading.isNumber(mention) ? reading.pick(mention, isAmount) : null;
    if (mention && ref) addEmpty(reading, ref, mention, range);
  }
  for (const range of reading.all(
    "(?:is|are|was|were) (?:unknown|missing|empty|not known|not set|blank|null|not given)",
  )) {
    const mention = reading.lastBefore(range.from, (each) => each.columns.length > 0 && !reading.isTable(each), 1);
    const ref = mention && reading.pick(mention);
    if (mention && ref) addEmpty(reading, ref, mention, range);
  }
}

function addEmpty(reading: Reading, ref: Ref, mention: Mention, range: Range): void {
  reading.frame.filters.push({ kind: "null", ref, isNegated: false });
  reading.use(mention);
  reading.take(range);
}

export function subjectTable(reading: Reading): Table | null {
  return reading.frame.target ?? subjectOf(reading, null);
}

/** Returns the first table that the question names. */
export function subjectOf(reading: Reading, other: Mention | null): Table | null {
  const mention =
    reading.linked.mentions.find(
      (each) => each !== other && reading.isTable(each) && (other === null || each.from < other.from),
    ) ?? reading.linked.mentions.find((each) => each !== other && reading.isTable(each));
  const first = reading.frame.dims.find((dim) => dim.kind === "entity");
  return (
    (mention && reading.table(mention)) ?? (first?.kind === "entity" ? first.table : null) ?? reading.focus[0] ?? null
  );
}

/** Reads a verb that is the name of a table: "who ordered in 2026" have an order of that year. */
export function happened(reading: Reading, table: Table): void {
  const { frame } = reading;
  const date = eventDate(table);
  if (!frame.target || !reading.schema.isAbove(table, frame.target) || frame.exists.length > 0) return;
  frame.exists.push({ table, isNegated: false });
  for (const each of frame.dates) if (date) each.ref ??= { table, column: date };
}

/** Reads another table in a list: "companies with at least 20 tickets and how many". */
export function alsoAbout(reading: Reading, table: Table): void {
  if (
    reading.frame.target &&
    reading.schema.isAbove(table, reading.frame.target) &&
    reading.frame.exists.length === 0
  ) {
    if (reading.has("with|have|has|having|that have")) reading.frame.exists.push({ table, isNegated: false });
  }
}
