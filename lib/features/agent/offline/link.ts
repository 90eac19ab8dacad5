import { type DateMention, findDates } from "./dates";
import type { Ref } from "./plan";
import { fitOf, type Schema, type Table } from "./schema";
import { GRAMMAR, type Token, tokenize } from "./words";

/** Maps words of a question to parts of the database. */

export type Mention = {
  /** Range of tokens; the end is exclusive. */
  from: number;
  to: number;
  tables: { table: Table; fit: number }[];
  columns: { ref: Ref; fit: number }[];
  values: ValueHit[];
  /** The best fit of the three. */
  fit: number;
};
/** A value of a column, spelled as in the column. */
export type ValueHit = { ref: Ref; value: string; isExact: boolean };
export type FoundDate = DateMention & { fromToken: number; toToken: number };

export type Linked = {
  text: string;
  tokens: Token[];
  mentions: Mention[];
  dates: FoundDate[];
};

const SPAN_MAX = 4;
/** Maximum distance to the best fit within which a name is kept too: the tables decide which one is meant. */
const CLOSE = 0.16;
const FIT_MIN = 0.5;
/** Minimum fit of a certain name, even if the word is also a value. */
const NAMED = 0.9;

export function link(text: string, schema: Schema, hits: readonly ValueHit[], today: string): Linked {
  const tokens = tokenize(text);
  const dates = findDates(text, today).map((date) => {
    const inside = tokens
      .map((token, i) => ({ token, i }))
      .filter(({ token }) => token.at >= date.at && token.at < date.until);
    return { ...date, fromToken: inside[0]?.i ?? 0, toToken: (inside.at(-1)?.i ?? -1) + 1 };
  });
  const isDate = (i: number) =>
    dates.some(({ fromToken, toToken, isBareYear }) => !isBareYear && i >= fromToken && i < toToken);
  const candidates: Mention[] = [];
  for (let from = 0; from < tokens.length; from++) {
    for (let to = from + 1; to <= Math.min(tokens.length, from + SPAN_MAX); to++) {
      const span = tokens.slice(from, to);
      if (span.some(({ stem }) => /^[?.,;:<>=!]/.test(stem)) || span.some((_, i) => isDate(from + i))) break;
      const mention = mentionOf(span, from, to, schema, hits, tokens[from - 1]?.lower ?? "");
      if (mention) candidates.push(mention);
    }
  }
  const rank = ({ fit, from, to }: Mention) => fit + 0.3 * (to - from - 1);
  candidates.sort((a, b) => rank(b) - rank(a) || a.from - b.from);
  const mentions: Mention[] = [];
  for (const candidate of candidates) {
    if (!mentions.some(({ from, to }) => candidate.from < to && from < candidate.to)) mentions.push(candidate);
  }
  return { text, tokens, dates, mentions: mentions.sort((a, b) => a.from - b.from) };
}

function mentionOf(
  span: readonly Token[],
  from: number,
  to: number,
  schema: Schema,
  hits: readonly ValueHit[],
  before: string,
): Mention | null {
  const isQuoted = span.some((token) => token.isQuoted);
  const isGrammar = span.every(({ lower }) => GRAMMAR.has(lower));
  const words = span.map(({ stem }) => stem);
  const values = hits
    .filter((hit) => isValue(hit, span))
    .map((hit) => ({ ...hit, isExact: hit.value.toLowerCase() === span.map(({ lower }) => lower).join(" ") }));
  const isEdgeGrammar = GRAMMAR.has(span[0]?.lower ?? "") && span.length > 1;
  const tables: Mention["tables"] = [];
  const columns: Mention["columns"] = [];
  if (!isQuoted && span.every(({ number }) => number === null)) {
    for (const table of schema.tables) {
      const isVerb =
        span.length === 1 &&
        /ed$/.test(span[0]?.lower ?? "") &&
        !table.name.toLowerCase().includes(span[0]?.lower ?? "");
      // "Refunded" says what happened, and may be a state as well as a row of refunds.
      const named = tableFit(words, table);
      if (named >= (isGrammar ? 0.98 : FIT_MIN)) tables.push({ table, fit: Math.min(named, isVerb ? 0.75 : 1) });
      for (const column of table.columns) {
        if (
          column.isReference &&
          !schema.edges.some((edge) => edge.from === table && edge.fromColumns.includes(column.name))
        )
          continue;
        const isOther =
          words.length > 1 && schema.tables.some((other) => other !== table && other.words.join() === words[0]);
        const fit =
          columnFit(
            words,
            table,
            column.words,
            column.kind === "date" || column.kind === "boolean" || column.isYear || isOther,
          ) - (table.isView ? 0.15 : 0);
        // "Ordered" happens; a number called orders is counted.
        if (/ed$/.test(span[0]?.lower ?? "") && span.length === 1 && column.kind === "number" && !column.isYear) {
          if (!column.name.toLowerCase().includes(span[0]?.lower ?? "") && fit > 0.9) continue;
        }
        const isPlural = column.kind === "date" && /[^s]s$|ing$/.test(span[0]?.lower ?? "") && span.length === 1;
        // "Ratings" are no time at which something was rated.
        if (isPlural) continue;
        const isNamed = fit >= (isGrammar || isEdgeGrammar ? 0.9 : FIT_MIN);
        // The "average total" is that of a column.
        const isTotal = span[0]?.lower === "total" && /^(?:average|avg|mean|highest|lowest)$/.test(before);
        if (!isNamed || (isGrammar && !isTotal && WORDS_OF_SENTENCES.has(span[0]?.lower ?? ""))) continue;
        const target = column.isReference
          ? schema.edges.find((edge) => edge.from === table && edge.fromColumns.includes(column.name))?.to
          : null;
        // A key means the table it references, if its own words name it.
        if (target) {
          // "Assigned to" is an action, not a person.
          if (/ed$/.test(span.at(-1)?.lower ?? "")) continue;
          if (column.words.join() !== target.words.join() && fit > 0.75)
            tables.push({ table: target, fit: fit - 0.01 });
        } else columns.push({ ref: { table, column }, fit });
      }
    }
  }
  const fits = [...tables, ...columns].map(({ fit }) => fit);
  const named = Math.max(0, ...fits);
  const valued = values.length === 0 ? 0 : values.some(({ isExact }) => isExact) ? 0.93 : 0.85;
  if (named === 0 && valued === 0) return null;
  const isClose = ({ fit }: { fit: number }) => fit >= named - CLOSE;
  return {
    from,
    to,
    tables: valued > named ? [] : unique(tables.filter(isClose).sort((a, b) => b.fit - a.fit)),
    columns: valued > named && named < NAMED ? [] : columns.filter(isClose).sort((a, b) => b.fit - a.fit),
    values,
    fit: Math.max(named, valued),
  };
}

function unique(tables: Mention["tables"]): Mention["tables"] {
  return tables.filter(({ table }, i) => tables.findIndex((other) => other.table === table) === i);
}

/** Grammar words that name a column only if no other reading is left. */
const WORDS_OF_SENTENCES = new Set(["total", "count", "number", "average", "sum", "first", "last", "order", "place", "day", "week", "month", "year", "time", "current", "right", "left", "share", "rate", "show", "like", "start", "end", "top", "group", "one", "ones", "value"]); // biome-ignore format: short

function tableFit(words: readonly string[], table: Table): number {
  // Each of several words has to match: "products sold" is not the view product sales.
  if (words.length > 1 && !words.every((word) => table.words.includes(word))) return 0;
  const fit = fitOf(words, table.words) - (table.isView ? 0.15 : 0);
  // The last word of a table's name is its kind; the others may be anything.
  if (words.length === 1 && fit === 0.7) return 0.52;
  return fit >= 0.6 ? fit : 0;
}

function columnFit(words: readonly string[], table: Table, name: readonly string[], isDate: boolean): number {
  const asked =
    isDate && words.length > 1 && ["dat", "date", "tim", "day"].includes(words.at(-1) ?? "")
      ? words.slice(0, -1)
      : words;
  const plain = fitOf(asked, name);
  // In "tickets solved", the first word names the rows, and the second their event.
  if (asked.length < 2 || plain >= 0.98 || isDate) return plain;
  // "order value" is the value of an order.
  const rest = asked.filter((word, i) => i === asked.length - 1 || !table.words.includes(word));
  // "Order counts" are no column of orders that counts something else.
  const isFigure = rest.every((word) => word === "count" || word === "number");
  if (rest.length === asked.length || isFigure) return plain;
  const inner = fitOf(rest, name);
  return inner > 0 ? Math.max(plain, Math.min(0.97, inner + 0.28)) : plain;
}

/** Whether a value is spelled as the words in lower case, with spaces for hyphens and underscores too. */
export function isSpelledAs(value: string, said: string): boolean {
  const lower = value.toLowerCase();
  return lower === said || lower.replaceAll(/[_-]/g, " ") === said;
}

/** Whether the words name the value: equal, in the singular, or its start. */
function isValue({ value }: ValueHit, span: readonly Token[]): boolean {
  const lower = value.toLowerCase();
  const said = span.map((token) => token.lower).join(" ");
  if (NATIONS.get(said)?.includes(lower)) return true;
  if (isSpelledAs(value, said)) return true;
  if (span.some((token) => token.isQuoted)) return false;
  const words = lower.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== "");
  const stems = tokenize(words.join(" ")).map(({ stem }) => stem);
  return stems.length === span.length && stems.every((stem, i) => stem === span[i]?.stem);
}

/**
 * Returns possible values of a column: every run of words that is not all grammar, as written and in the singular;
 * bounded.
 */
export function valueWordings({ tokens, mentions, dates }: Linked): string[] {
  const isNamed = (i: number) =>
    mentions.some(({ from, to, tables, fit }) => i >= from && i < to && tables.length > 0 && fit >= 0.98);
  const isDate = (i: number) => dates.some(({ fromToken, toToken }) => i >= fromToken && i < toToken);
  const wordings = new Set<string>();
  for (let from = 0; from < tokens.length; from++) {
    for (let to = from + 1; to <= Math.min(tokens.length, from + SPAN_MAX); to++) {
      const span = tokens.slice(from, to);
      if (span.some((token, i) => /^[?.,;:<>=!]/.test(token.lower) || isDate(from + i))) break;
      const isEmpty = span.every(
        (token, i) => (GRAMMAR.has(token.lower) && !token.isQuoted) || isNamed(from + i) || token.number !== null,
      );
      const ends = [span[0], span.at(-1)];
      if (isEmpty || (span.length > 1 && ends.some((token) => LOOSE.has(token?.lower ?? "")))) continue;
      for (const wording of wordingsOf(span)) if (wordings.size < WORDINGS_MAX) wordings.add(wording);
    }
  }
  return [...wordings];
}

/** Countries and their people often stand for each other. */
const NATIONS = nationsOf(
  "german germany de,french france fr,spanish spain es,italian italy it,dutch netherlands nl,british united-kingdom uk gb,english united-kingdom england,american united-states usa us,swedish sweden se,polish poland pl,canadian canada ca,mexican mexico mx,japanese japan jp,australian australia au,brazilian brazil br,chilean chile cl,chinese china cn,indian india in,swiss switzerland ch,austrian austria at,belgian belgium be,danish denmark dk,norwegian norway no,finnish finland fi,irish ireland ie,portuguese portugal pt,greek greece gr,turkish turkey tr,russian russia ru,korean south-korea,nigerian nigeria ng,argentinian argentina ar,uk united-kingdom gb,usa united-states us,us united-states usa,holland netherlands",
);

function nationsOf(lines: string): Map<string, string[]> {
  const map = new Map<string, string[]>();
  for (const line of lines.split(",")) {
    const names = line.split(" ").map((name) => name.replaceAll("-", " "));
    for (const name of names) map.set(name, [...(map.get(name) ?? []), ...names.filter((other) => other !== name)]);
  }
  for (const word of ["in", "it", "be", "at", "no", "us", "de"]) map.delete(word);
  return map;
}

const WORDINGS_MAX = 120;
const LOOSE = new Set(
  "a an the of in on at to for from with by and or is are was were we our do does did have has many much how which what who per each".split(
    " ",
  ),
);

function wordingsOf(span: readonly Token[]): string[] {
  const said = span.map(({ lower }) => lower).join(" ");
  if (span.some(({ isQuoted }) => isQuoted)) return [said];
  const last = span.at(-1)?.lower ?? "";
  const head = span.slice(0, -1).map(({ lower }) => lower);
  const forms = new Set([last]);
  if (last.endsWith("ies")) forms.add(`${last.slice(0, -3)}y`);
  if (last.endsWith("es")) forms.add(last.slice(0, -2));
  if (last.endsWith("s")) forms.add(last.slice(0, -1));
  else forms.add(`${last}s`);
  for (const other of NATIONS.get(last) ?? []) forms.add(other);
  // "Did we close" asks for what is closed.
  if (/[a-z]{3}/.test(last) && !/(?:s|ed|ing)$/.test(last)) forms.add(last.endsWith("e") ? `${last}d` : `${last}ed`);
  if (last.endsWith("canceled")) forms.add("cancelled");
  if (last === "cancelled") forms.add("canceled");
  if (last === "returns") forms.add("returned");
  return [...forms]
    .flatMap((form) => {
      const words = [...head, form];
      return words.length === 1 ? words : [words.join(" "), words.join("_"), words.join("-")];
    })
    .concat(said);
}
