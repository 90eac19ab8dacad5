import type { Predicate, Ref } from "../plan";
import { GRAMMAR, singularOf, TEXT_PLACES } from "../words";
import type { Reading } from "./reading";
import { subjectTable } from "./target";

/* Reads the values and texts that filter rows. */

const MENTIONS: (typeof TEXT_PLACES)[number] = [
  "mention|mentions|mentioning|include the word|includes the word|with the word|have the word|has the word|having the word|matching",
  "anywhere",
];

/** Reads parts of texts: "with 'lamp' in the name". */
export function readTexts(reading: Reading): void {
  for (const range of reading.all("about|regarding|concerning|related to")) {
    const i = range.to;
    const table = subjectTable(reading);
    const column = table?.columns.find(
      ({ kind, words }) => kind === "text" && /^(titl|subject|name|summari|description)$/.test(words.at(-1) ?? ""),
    );
    const token = reading.linked.tokens[i];
    if (
      !table ||
      !column ||
      !token ||
      reading.taken.has(i) ||
      reading.at(i) ||
      GRAMMAR.has(token.lower) ||
      token.number !== null
    )
      continue;
    reading.frame.filters.push({
      kind: "contains",
      ref: { table, column },
      text: singularOf(token.lower),
      where: "anywhere",
      isNegated: false,
    });
    reading.take({ from: range.from, to: i + 1 });
  }
  for (const [source, where] of [...TEXT_PLACES, MENTIONS]) {
    for (const range of reading.all(`(?:${source})(?: the)?(?: word| words| text| term| phrase| letters| letter)?`)) {
      // A quoted "The" is the text itself.
      if (reading.linked.tokens[range.to - 1]?.isQuoted) range.to--;
      const token = reading.linked.tokens[range.to];
      if (!token || (reading.taken.has(range.to) && !token.isQuoted) || (GRAMMAR.has(token.lower) && !token.isQuoted))
        continue;
      if (range.match[0] === "like" && !token.isQuoted) continue;
      const isText = ({ column }: Ref) => column.kind === "text" && !column.isReference;
      const around = [
        reading.next(range.to + 1, 3, (mention) => mention.columns.some(({ ref }) => isText(ref))),
        reading.lastBefore(range.from, (mention) => mention.columns.some(({ ref }) => isText(ref))),
      ].find((mention) => mention !== null);
      const table = subjectTable(reading);
      const named = around && reading.pick(around, isText);
      const shown = table?.columns.find(
        (column) => isText({ table, column }) && /^(name|titl|subject)$/.test(column.words.at(-1) ?? ""),
      );
      const ref = named ?? (table && shown ? { table, column: shown } : null);
      if (!ref) continue;
      const isNegated = /not|n't/.test(reading.lower(range.from - 1));
      reading.frame.filters.push({ kind: "contains", ref, text: token.raw, where, isNegated });
      if (around) reading.use(around);
      reading.take({ from: range.from, to: range.to + 1 });
      const mention = reading.at(range.to);
      if (mention) reading.used.add(mention);
      reading.frame.target ??= ref.table;
    }
  }
}

export function readValues(reading: Reading): void {
  const frame = reading.frame;
  const [head] = reading.linked.mentions;
  // "Seniors whose home is ..." are rows, although a value names them.
  if (head && head.values.length > 0 && head.tables.length === 0 && frame.target === null && frame.dims.length === 0) {
    const isNoun = /^(who|whose|that|which|with|without|in|at|from|whom|living)$/.test(reading.lower(head.to));
    const [hit] = head.values;
    if (isNoun && hit && frame.measures.length === 0) frame.target = hit.ref.table;
  }
  const groups = new Map<string, { ref: Ref; values: string[]; isNegated: boolean; inShare: boolean }>();
  for (const mention of reading.linked.mentions) {
    if (mention.values.length === 0 || reading.used.has(mention)) continue;
    const focusTable = frame.target ?? subjectTable(reading);
    const isDateVerb =
      mention.columns.some(({ ref }) => ref.column.kind === "date" && ref.table === focusTable) &&
      reading.linked.dates.length > 0 &&
      mention.fit >= 0.98;
    const isChoice = reading.linked.mentions.some(
      (other) =>
        other !== mention &&
        other.values.length > 0 &&
        (reading.lower(mention.to) === "or" ? other.from === mention.to + 1 : other.to === mention.from - 1) &&
        (reading.lower(mention.to) === "or" || reading.lower(mention.from - 1) === "or"),
    );
    if (isDateVerb && !isChoice && !/^(open)$/.test(reading.stem(mention.from))) continue;
    const ranked = mention.values
      .map((hit) => ({
        hit,
        rank:
          (hit.isExact ? 1 : 0.9) -
          reading.distance(hit.ref.table) * 0.12 +
          (reading.isColumnNamed(hit.ref, mention) ? 0.3 : 0),
      }))
      .sort((a, b) => b.rank - a.rank);
    const best = ranked[0]?.hit;
    if (!best) continue;
    // "Refunded" may be a status of orders, or a separate table: the nearer one wins.
    if (mention.tables.length > 0 && reading.isTable(mention) && mention.fit >= 0.98) continue;
    const also = ranked
      .filter(({ hit }) => hit.ref.column === best.ref.column && hit.isExact === best.isExact)
      .map(({ hit }) => hit.value);
    reading.use(mention);
    const isNegated = isNegatedAt(reading, mention.from);
    const key = `${best.ref.table.id} ${best.ref.column.name} ${isNegated}`;
    const group = groups.get(key) ?? { ref: best.ref, values: [], isNegated, inShare: true };
    group.values.push(...also.slice(0, 1));
    groups.set(key, group);
  }
  for (const { ref, values, isNegated } of groups.values()) {
    const predicate: Predicate = { kind: "in", ref, values: [...new Set(values)], isNegated };
    frame.filters.push(predicate);
  }
}

export function isNegatedAt(reading: Reading, from: number): boolean {
  for (let i = from - 1; i >= Math.max(0, from - 6); i--) {
    const word = reading.lower(i);
    if (
      /^(not|except|excluding|nor|neither|non|isn't|aren't|wasn't|weren't|besides|without|exclude|ignoring|ignore|outside|never|don't|doesn't|didn't)$/.test(
        word,
      )
    )
      return true;
    if (word === "than" && reading.lower(i - 1) === "other") return true;
    if (/^(who|which|but|that|how|what)$/.test(word)) return false;
    if (word === "no") return true;
    if (!GRAMMAR.has(word) && !/^(,|receive|get|want)$/.test(word) && !(reading.at(i)?.values.length ?? 0))
      return false;
  }
  return false;
}

/** Reads "owes" as not paid, and "collected" as paid. */
function readDebts(reading: Reading): void {
  const frame = reading.frame;
  const owed = reading.first("owe|owes|owed|owing|outstanding|overdue and unpaid");
  const range = owed ?? reading.first("collect|collected|settled");
  if (!range || reading.taken.has(range.from)) return;
  const asks = [...frame.measures, ...frame.having.map(({ measure }) => measure)];
  const tables = [frame.target, ...asks.flatMap(({ table, refs }) => [table, ...refs.map(({ ref }) => ref.table)])];
  for (const table of tables) {
    const column = table?.columns.find(({ kind, words }) => kind === "boolean" && words.includes("paid"));
    if (!table || !column) continue;
    frame.filters.push({ kind: "compare", ref: { table, column }, op: "=", value: owed === null });
    reading.take(range);
    return;
  }
}

export function readBooleans(reading: Reading): void {
  readDebts(reading);
  const frame = reading.frame;
  for (const mention of reading.linked.mentions) {
    if (reading.used.has(mention) || reading.isTable(mention)) continue;
    const subject = subjectTable(reading);
    const ref = reading.pick(mention, ({ column }) => column.kind === "boolean");
    if (!ref || (subject && reading.schema.path(subject, ref.table) === null)) continue;
    const isNegated = isNegatedAt(reading, mention.from);
    frame.filters.push({ kind: "compare", ref, op: "=", value: !isNegated });
    reading.use(mention);
  }
}
