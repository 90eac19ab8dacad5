import { cell } from "./explain";
import { isOfOne } from "./grammar/column-facts";
import type { Linked, Mention } from "./link";
import type { Plan, Predicate, Ref } from "./plan";
import type { Schema, Table } from "./schema";

/* Compares a plan of the second, less certain reader with the words of its question. */

/** Minimum fit of a name that a plan has to contain. */
const NAMED = 0.98;

/** Returns the reason why a plan is no answer to a question, or null. It is not proposed then. */
export function problemOf(plan: Plan, { mentions, tokens, text }: Linked, schema: Schema): string | null {
  const parts = partsOf(plan);
  // "Never borrowed a book" goes through the loans, each of which is of a book.
  const below = plan.where.flatMap((one) => (one.kind === "exists" ? [one.table] : []));
  for (const table of schema.tables) if (below.some((from) => schema.isAbove(from, table))) parts.tables.add(table);
  const missing = mentions.find((mention) => isName(mention) && !isVerb(tokens, mention) && !isIn(mention, parts));
  if (missing) return `I can't tell what “${saidIn(tokens, missing)}” refers to.`;
  const unread = WORDS.find(({ pattern, isRead }) => pattern.test(text) && !isRead(plan));
  if (unread) return `I can't tell what “${unread.pattern.exec(text)?.[0]}” refers to.`;
  const isCountOf = plan.measures.some(({ fn, alias }) => fn === "count" && alias === plan.order[0]?.alias);
  const isSaid = mentions.some(({ tables }) => tables.some(({ table }) => table === plan.from));
  // "Our top customers" are not those with the most page views.
  if (RANKING.test(text) && isCountOf && !isSaid && mentions.length > 0)
    return "I can't tell which number ranks the rows.";
  if (isOneEach(plan)) return `I can't tell how to group ${cell(plan.from.name)}.`;
  const sum = plan.measures.find((measure) => measure.fn === "sum" && !measure.times && isOfOne(measure.ref));
  return sum?.fn === "sum" ? `A sum of ${sum.ref.column.name} has no meaning.` : null;
}

const hasOrder = ({ order, measures }: Plan) =>
  order.length > 0 || measures.some(({ fn }) => fn === "min" || fn === "max");

/** Whether each group is a single row of the counted table. */
function isOneEach({ from, measures, outputs, hiddenKeys }: Plan): boolean {
  const keys = from.columns.filter(({ isKey }) => isKey);
  const grouped = [...hiddenKeys, ...outputs.map(({ ref }) => ref)].filter(({ table }) => table === from);
  return (
    measures.some(({ fn }) => fn === "count") &&
    keys.length > 0 &&
    keys.every((key) => grouped.some(({ column }) => column === key))
  );
}

/** Whether a plan lists all rows of a table. */
export function isWholeTable({ where, measures, order, having }: Plan): boolean {
  return [where, measures, order, having].every((parts) => parts.length === 0);
}

const RANKING = /\b(?:top|best|worst|bottom)\b/i;

/** Words that change an answer, with the part of a plan that expresses them. */
const WORDS: { pattern: RegExp; isRead: (plan: Plan) => boolean }[] = [
  { pattern: /\b(?:most|fewest|highest|lowest|largest|smallest|biggest|top|bottom|best|worst)\b/i, isRead: hasOrder },
  {
    pattern: /\b(?:average|avg|(?<!\bi )mean)\b/i,
    isRead: ({ measures }) => measures.some(({ fn }) => /^(?:avg|ratio)$/.test(fn)),
  },
  {
    pattern: /\b(?:rate|ratio|percentage|percent|proportion)\b/i,
    isRead: ({ measures }) => measures.some(({ fn }) => fn === "share" || fn === "ratio" || fn === "avg"),
  },
  // A state is one of the listed rows: not where they belong.
  {
    pattern: /\b(?:still|already|currently|no longer|any ?more)\b/i,
    isRead: ({ where, from }) => where.some((one) => one.kind !== "exists" && one.ref.table === from),
  },
  {
    pattern: /\b(?:but|not|never|except|excluding|without|other than|besides|neither)\b/i,
    isRead: ({ where, measures }) =>
      [...where, ...measures.flatMap((one) => (one.fn === "share" ? (one.where ?? []) : []))].some(isNegative),
  },
];

function isNegative(predicate: Predicate): boolean {
  switch (predicate.kind) {
    case "compare":
      return predicate.op === "<>" || predicate.value === false || typeof predicate.value === "number";
    case "null":
      return true;
    default:
      return predicate.isNegated || (predicate.kind === "exists" && predicate.where.some(isNegative));
  }
}

type Parts = { tables: Set<Table>; columns: Set<Ref["column"]> };

function partsOf(plan: Plan): Parts {
  const refs: Ref[] = [
    ...plan.outputs.map(({ ref }) => ref),
    ...plan.hiddenKeys,
    ...plan.measures.flatMap((measure): Ref[] => {
      if (measure.fn === "count") return [];
      if (measure.fn === "ratio") return [measure.of];
      if (measure.fn === "share") return (measure.where ?? []).flatMap(refsIn);
      return "times" in measure && measure.times ? [measure.ref, measure.times] : [measure.ref];
    }),
    ...plan.where.flatMap(refsIn),
  ];
  const passed = plan.where.flatMap((one) =>
    one.kind === "exists" ? [one.table, ...one.steps.map((each) => each.table)] : [],
  );
  const tables = [plan.from, ...plan.joins.map(({ table }) => table), ...passed, ...refs.map(({ table }) => table)];
  return { tables: new Set(tables), columns: new Set(refs.map(({ column }) => column)) };
}

function refsIn(predicate: Predicate): Ref[] {
  return predicate.kind === "exists" ? predicate.where.flatMap(refsIn) : [predicate.ref];
}

function isName({ tables, columns, values }: Mention): boolean {
  return values.length === 0 && Math.max(tables[0]?.fit ?? 0, columns[0]?.fit ?? 0) >= NAMED;
}

/** "Never borrowed" says what happened, and its table may go by another name. */
function isVerb(tokens: Linked["tokens"], { from, to }: Mention): boolean {
  return to === from + 1 && /ed$/i.test(tokens[from]?.raw ?? "");
}

function isIn({ tables, columns }: Mention, parts: Parts): boolean {
  return (
    tables.some(({ table }) => parts.tables.has(table)) || columns.some(({ ref }) => parts.columns.has(ref.column))
  );
}

function saidIn(tokens: Linked["tokens"], { from, to }: Mention): string {
  return tokens
    .slice(from, to)
    .map(({ raw }) => cell(raw))
    .join(" ");
}
