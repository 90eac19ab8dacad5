import { refsOf } from "./build";
import type { Frame } from "./frame";
import type { Linked } from "./link";
import type { Schema } from "./schema";
import { understand } from "./understand";
import { GRAMMAR } from "./words";

/** Whether a question is incomplete without the one before: "and by month?", "only paid ones". */
export function isFollowUp({ tokens, mentions, dates, text }: Linked): boolean {
  const lower = text.toLowerCase().trim();
  // "Last month" names a time, and nothing of what.
  const isTime = ({ lower: word }: Linked["tokens"][number], i: number) =>
    GRAMMAR.has(word) || /^[?.,]$/.test(word) || dates.some(({ fromToken, toToken }) => i >= fromToken && i < toToken);
  if (mentions.length === 0 && dates.length > 0 && tokens.every(isTime)) return true;
  if (mentions.length === 0 && /^(?:and |so )?how many\b/.test(lower) && tokens.every(isTime)) return true;
  // "Top 5 only", "show 10 instead": how many, and nothing of what.
  if (mentions.length === 0 && tokens.length <= 6 && tokens.some(({ number }) => number !== null)) return true;
  if (
    /^(?:and|only|just|but|what about|how about|same|also|now|then|instead|ok|okay|break (?:it|that|this|them)|split (?:it|that|this|them)|group (?:it|that|them)|exclud|without|except|sort|order (?:it|that|them)|by |per |in |for |as a )/.test(
      lower,
    )
  ) {
    return (
      !/^(?:and |now |then )?(?:how many|how much|which|what(?!'s)|who|list|show)\b (?!about)/.test(
        lower.replace(/^(?:in|for) .{0,30}?,? /, ""),
      ) || tokens.length <= 4
    );
  }
  if (
    /\b(?:those|them|that|these|ones|instead)\b/.test(lower) &&
    tokens.length <= 10 &&
    !/^(?:which|what|who|how many)\b.*\bthat (?:have|has|are|were|cost|earn)\b/.test(lower)
  )
    return true;
  return tokens.length <= 2 && mentions.every(({ tables }) => tables.length === 0) && mentions.length > 0;
}

const CONNECTIVE = /^(?:(?:and|also|now|then|ok|okay|what about|how about)\b[\s,]*)+/i;

/** Returns a question without the words that link it to the one before. */
export function withoutConnective(text: string): string {
  return text.trim().replace(CONNECTIVE, "");
}

/** Changes the earlier question by the follow-up. */
export function mergeFollowUp(before: Frame, linked: Linked, schema: Schema): Frame {
  const focus = [
    before.target,
    ...before.measures.flatMap(({ table, refs }) => [table, ...refs.map(({ ref }) => ref.table)]),
    ...before.dims.flatMap((dim) => (dim.kind === "entity" ? [dim.table] : dim.ref ? [dim.ref.table] : [])),
  ].filter((table) => table !== null);
  const next = understand(linked, schema, focus);
  const bare = linked.mentions.length === 0 && linked.dates.length === 0 && next.having.length === 0;
  const count = bare ? (linked.tokens.find(({ number }) => number !== null)?.number ?? null) : null;
  const isInstead = /\binstead\b|^(?:what|how) about by\b/i.test(linked.text);
  const isOther = /^(?:and )?(?:what|how) about\b|^and (?:for |in )?\b/i.test(linked.text.trim());
  const touched = new Set(next.filters.flatMap(refsOf).map(({ table, column }) => `${table.id} ${column.name}`));
  const kept = before.filters.filter(
    (predicate) => !refsOf(predicate).some(({ table, column }) => touched.has(`${table.id} ${column.name}`)),
  );
  // "And agents?" after a question per team is the same per agent.
  const isNewDim =
    isOther &&
    next.filters.length === 0 &&
    next.dates.length === 0 &&
    next.dims.length === 0 &&
    next.measures.length === 0 &&
    next.target !== null &&
    before.dims.length > 0;
  const dims =
    isNewDim && next.target
      ? [{ kind: "entity" as const, table: next.target }]
      : next.dims.length === 0
        ? before.dims
        : isInstead
          ? next.dims
          : [...before.dims, ...next.dims];
  // The best 5 of the groups before are not the best 5 of finer ones.
  const isFiner = dims.length > before.dims.length && before.dims.length > 0;
  const isNewMeasure = next.measures.some(
    ({ refs, fn, table }) => refs.length > 0 || fn !== "count" || (table !== null && table !== before.target),
  );
  // "How many?" counts the rows that were listed.
  const isCounting = next.measures.length > 0 && before.measures.length === 0 && before.dims.length === 0;
  return {
    ...before,
    target: before.target ?? next.target,
    measures: isNewMeasure || isCounting ? next.measures : before.measures,
    dims,
    filters: [...kept, ...next.filters],
    dates: next.dates.length > 0 ? next.dates : before.dates,
    exists: [...before.exists, ...next.exists],
    having: next.having.length > 0 ? next.having : before.having,
    share: next.share ?? before.share,
    order: next.order ?? before.order ?? (next.limit !== null ? { ref: null, isDescending: true } : null),
    limit: next.limit ?? count ?? (isFiner ? null : before.limit),
    shown: [...before.shown, ...(before.measures.length === 0 && before.dims.length === 0 ? next.shown : [])],
    ignored: next.ignored,
    hints: new Set([...before.hints, ...next.hints]),
  };
}
