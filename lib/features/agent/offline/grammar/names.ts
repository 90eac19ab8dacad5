import type { Chosen } from "../choice";
import { isSpelledAs, type ValueHit } from "../link";
import type { Ref } from "../plan";
import type { Schema, Table } from "../schema";
import { nameWords, singularOf, type Token, tokenize } from "../words";
import { isMoney, isMoneyNoun, isOfOne, nameOf } from "./column-facts";
import type { Parser } from "./parsers";

/** Finds the tables, columns and values that a run of words names. */

/** `isPart` tells that only the end of the name was said, as "revenue" of `daily_revenue`. */
export type TableName = { table: Table; said: string; isPart?: boolean };
/** `isTable` tells that the words also name a table. */
export type ColumnName = { options: { ref: Ref; fit: number }[]; said: string; isTable?: boolean };
/** `isUnknown` tells that no column was found with the value. */
export type ValueName = { hits: ValueHit[]; said: string; isUnknown?: boolean };

/** Fits of a name, from equal words to one word of several. */
const EQUAL = 3;
const WITH_TABLE = 2.8;
const UNDECORATED = 2.6;
const ABBREVIATED = 2.3;
const AMOUNT = 2.2;
const PART = 1.6;
const SPAN_MAX = 5;
const VIEW_PENALTY = 2;

/** Words that a name carries without a separate meaning. */
const TABLE_DECORATION = new Set([
  "data",
  "info",
  "information",
  "tabl",
  "tbl",
  "ref",
  "list",
  "record",
  "detail",
  "by",
]);
const COLUMN_DECORATION = new Set(["cent", "flag", "dt", "of", "the", "in"]);

export class Names {
  readonly tables: Parser<TableName>;
  readonly columns: Parser<ColumnName>;
  readonly values: Parser<ValueName>;
  /** A word of a column's name, which says too little without a value of that column after it. */
  readonly hints: Parser<string[]>;
  readonly #schema: Schema;
  readonly #columnsOf: (span: readonly Token[]) => { ref: Ref; fit: number }[];

  constructor(tokens: readonly Token[], schema: Schema, hits: readonly ValueHit[], chosen: Chosen) {
    this.#schema = schema;
    this.tables = spans(tokens, (span, from) => {
      // "Show the clubs" names no table of shows.
      if (!isName(span) || (from === 0 && /^(?:show|list|find|give|count|return|report)$/.test(span[0]?.lower ?? "")))
        return [];
      // "Templates of the type CV" are no types of templates.
      if (span.some(({ lower }) => lower === "of" || lower === "in")) return [];
      const fits = schema.tables.map((table) => ({ table, fit: tableFit(wordsOf(span), span, table) }));
      const best = Math.max(0, ...fits.map(({ fit }) => fit));
      return fits
        .filter(({ fit }) => fit > 0 && fit === best)
        .map(({ table, fit }) => ({
          value: { table, said: saidOf(span), isPart: fit === PART },
          weight: fit * span.length,
        }));
    });
    this.#columnsOf = (span) => {
      const isTable = schema.tables.some((table) => tableFit(wordsOf(span), span, table) >= UNDECORATED);
      return (
        schema.tables
          .flatMap((table) => columnsOf(wordsOf(span), span, table))
          // "Users" are rows of users, not the keys that reference them.
          .filter(({ fit }) => !isTable || fit === EQUAL)
      );
    };
    this.columns = spans(tokens, (span, from) => {
      if (!isName(span)) return [];
      const [{ lower = "" } = {}] = span;
      // The "average total" is that of a column.
      const isTotal = lower === "total" && BEFORE_TOTALS.has(tokens[from - 1]?.lower ?? "");
      if (span.length === 1 && AMOUNT_WORDS.has(lower) && !isTotal) return [];
      // "Texts of paragraphs" are the texts of rows that the words name.
      const of = span.findIndex(({ lower }) => lower === "of");
      let rows = of + 1;
      while (/^(?:the|all|our|these|those)$/.test(span[rows]?.lower ?? "")) rows++;
      const owner = of > 0 ? this.tables(from + rows).find(({ to }) => to === from + span.length)?.value.table : null;
      if (owner && this.#columnsOf(span.slice(0, of)).some(({ ref }) => ref.table === owner)) return [];
      const known = this.#columnsOf(span);
      const options = known.length > 0 ? known : chosenColumns(schema, chosen.get(saidOf(span).toLowerCase()));
      const best = Math.max(0, ...options.map(({ fit }) => fit));
      if (best === 0) return [];
      // A view repeats what its tables have: "daily orders" are orders by day.
      const isRepeated = options.every(({ ref }) => ref.table.isView);
      const weight = best * span.length - (isRepeated ? VIEW_PENALTY : 0);
      const isTable = this.tables(from).some(({ to, value }) => to === from + span.length && !value.isPart);
      return [{ value: { options, said: saidOf(span), isTable }, weight }];
    });
    const columnWords = new Set(schema.tables.flatMap(({ columns }) => columns.flatMap(({ name }) => nameWords(name))));
    this.hints = spans(tokens, (span) => {
      const words = wordsOf(span);
      return isName(span) && span.length <= 2 && words.every((word) => columnWords.has(word))
        ? [{ value: words, weight: span.length }]
        : [];
    });
    this.values = spans(tokens, (span) => {
      const said = saidOf(span).toLowerCase();
      const same = hits.filter(({ value }) => isSpelledAs(value, said));
      const stems = stemsOf(said);
      const alike =
        same.length > 0 || span.some(({ isQuoted }) => isQuoted)
          ? []
          : hits.filter(({ value }) => stemsOf(value.replaceAll(/[_-]/g, " ")) === stems);
      const found = [...same, ...alike];
      const weight = (same.length > 0 ? 2.5 : 1.8) * span.length;
      return found.length > 0 ? [{ value: { hits: found, said: saidOf(span) }, weight }] : [];
    });
  }

  /** Returns the columns whose names have a word. */
  withWord(word: string): ColumnName | null {
    const options = this.#schema.tables.flatMap((table) =>
      table.columns
        .filter(({ name }) => nameWords(name).includes(word))
        .map((column) => ({ ref: { table, column }, fit: UNDECORATED })),
    );
    return options.length === 0 ? null : { options, said: word };
  }

  /** Returns the column that says what a row of a table amounts to: the total of an order. */
  amountOf({ table, said }: TableName): ColumnName | null {
    const column = amountOf(table);
    return column && { options: [{ ref: { table, column }, fit: AMOUNT }], said: `value of ${said}` };
  }

  /** Returns the column by which rows are large: the largest orders are those with the highest total. */
  sizeOf(name: TableName): ColumnName | null {
    const found = this.amountOf(name);
    const isWhole = found?.options.some(({ ref }) => isWholeAmount(ref.column)) ?? false;
    return found && (isWhole || isMoneyNoun(name.table)) ? { ...found, said: `size of ${name.said}` } : null;
  }

  /** Returns the columns of a name that no words of the question spell out, such as both parts of "full names". */
  named(text: string): ColumnName | null {
    const options = this.#columnsOf(tokenize(text));
    return options.length === 0 ? null : { options, said: text };
  }
}

function spans<T>(
  tokens: readonly Token[],
  read: (span: readonly Token[], from: number) => { value: T; weight: number }[],
): Parser<T> {
  const known = new Map<number, ReturnType<Parser<T>>>();
  return (from) => {
    const before = known.get(from);
    if (before) return before;
    const found: ReturnType<Parser<T>> = [];
    for (let to = Math.min(tokens.length, from + SPAN_MAX); to > from; to--) {
      const span = tokens.slice(from, to);
      if (span.some(({ lower, isQuoted }) => !isQuoted && /^[?.,;:<>=!]/.test(lower))) continue;
      found.push(...read(span, from).map((each) => ({ ...each, to })));
    }
    known.set(from, found);
    return found;
  };
}

function isName(span: readonly Token[]): boolean {
  if (span.some(({ isQuoted }) => isQuoted)) return false;
  const edges = [span[0]?.lower ?? "", span.at(-1)?.lower ?? ""];
  return !edges.some((word) => EDGES.has(word));
}
/** Words that neither start nor end a name. */
const EDGES = new Set("the a an of and or in for by to with is are was were each all every their its".split(" "));

/** Words that say how a number is meant, and name no column alone. */
const AMOUNT_WORDS = new Set(["number", "count", "total", "average", "sum", "maximum", "minimum", "most", "least"]);

/** Words before "total" that make it the name of a column. */
const BEFORE_TOTALS = new Set(
  "average avg mean highest largest biggest lowest smallest maximum minimum max min by".split(" "),
);

function wordsOf(span: readonly Token[]): string[] {
  return span.filter(({ lower }) => !/^(?:of|the|'s|in|a)$/.test(lower)).map(({ stem }) => stem);
}

function saidOf(span: readonly Token[]): string {
  return span.map(({ raw }) => raw).join(" ");
}

function stemsOf(text: string): string {
  return tokenize(text)
    .map(({ stem }) => stem)
    .join(" ");
}

function tableFit(words: readonly string[], span: readonly Token[], table: Table): number {
  const joined = words.join();
  if (table.words.join() === joined || isRunTogether(span, table.name)) return EQUAL;
  const plain = table.words.filter((word) => !TABLE_DECORATION.has(word));
  if (plain.length > 0 && plain.join() === joined) return UNDECORATED;
  if (plain.length > 1 && plain.slice(-words.length).join() === joined) return PART;
  return 0;
}

function columnsOf(words: readonly string[], span: readonly Token[], table: Table): { ref: Ref; fit: number }[] {
  const key = words.join() === "id" ? ownKey(table) : null;
  if (key) return [{ ref: { table, column: key }, fit: ABBREVIATED }];
  const found: { ref: Ref; fit: number }[] = [];
  for (const column of table.columns) {
    const fit = columnFit(words, span, table, column.name);
    if (fit > 0) found.push({ ref: { table, column }, fit });
  }
  if (found.some(({ fit }) => fit > PART)) return found.filter(({ fit }) => fit > PART);
  const amount = isAmountOf(words, span, table) ? amountOf(table) : null;
  if (amount) return [{ ref: { table, column: amount }, fit: AMOUNT }];
  // A part of a name is a name only if one column has it.
  return found.length === 1 ? found : [];
}

/** Returns the only key of a table if it has no column `id`, but one such as `aid`. */
function ownKey({ columns }: Table): Table["columns"][number] | null {
  const [key, ...others] = columns.filter(({ isKey }) => isKey);
  const isNamed = columns.some(({ name }) => nameWords(name).join() === "id");
  return key && others.length === 0 && !isNamed && /[a-z]id$/i.test(key.name) ? key : null;
}

/** Returns the column that a person chose for an unknown word. */
function chosenColumns({ tables }: Schema, label: string | undefined): { ref: Ref; fit: number }[] {
  if (label === undefined) return [];
  const refs = tables.flatMap((table) => table.columns.map((column) => ({ table, column })));
  return refs.filter((ref) => nameOf(ref) === label).map((ref) => ({ ref, fit: EQUAL }));
}

/** Whether words such as "order value" and "value of orders" say what a row of a table amounts to. */
function isAmountOf(words: readonly string[], span: readonly Token[], { words: name }: Table): boolean {
  const of = span.findIndex(({ lower }) => lower === "of");
  const said = of < 0 ? words : [...wordsOf(span.slice(of + 1)), ...wordsOf(span.slice(0, of))];
  const rows = said.slice(0, -1).join();
  const isRows = rows === name.join() || rows === name.filter((word) => !TABLE_DECORATION.has(word)).join();
  // The "total of orders" is a sum.
  return (
    isRows && (of < 0 ? /^(?:valu|value|amount|worth|total)$/ : /^(?:valu|value|amount|worth)$/).test(said.at(-1) ?? "")
  );
}

function isWholeAmount({ words }: Table["columns"][number]): boolean {
  return /^(?:total|amount|valu)$/.test(words.join());
}

/** Returns the column that says what a row amounts to, if there is one for it alone. */
function amountOf(table: Table): Table["columns"][number] | null {
  const amounts = table.columns.filter((column) => isMoney(column) && !isOfOne({ table, column }));
  const whole = amounts.filter(isWholeAmount);
  const [only, ...others] = whole.length > 0 ? whole : amounts;
  return only && others.length === 0 ? only : null;
}

function columnFit(words: readonly string[], span: readonly Token[], table: Table, column: string): number {
  const name = nameWords(column).map((word) => (/^(?:no|num|nr)$/.test(word) ? "number" : word));
  const joined = words.join();
  // "Names of losers" are `loser_name`.
  const of = AMOUNT_WORDS.has(span[0]?.lower ?? "") ? -1 : span.findIndex(({ lower }) => lower === "of");
  const turned = of < 0 ? "" : [...wordsOf(span.slice(of + 1)), ...wordsOf(span.slice(0, of))].join();
  if (name.length > 1 && turned === name.join()) return WITH_TABLE;
  // "Arriving date" names `date_arrived`.
  if (words.length === 2 && words.includes("date") && words.toReversed().join() === name.join()) return WITH_TABLE;
  if (name.join() === joined || isRunTogether(span, column)) return EQUAL;
  const ofTable = table.words.filter((word) => !TABLE_DECORATION.has(word));
  // "Departments in Division 7" are rows.
  const isApart = span.some(({ lower }) => lower === "in") && !column.toLowerCase().includes("in");
  const prefixes = (isApart ? [] : ofTable).flatMap((_, i) => [ofTable.slice(i), ofTable.slice(0, i + 1)]);
  for (const prefix of prefixes) {
    if ([...prefix, ...name].join() === joined || [...prefix, ...words].join() === name.join()) return WITH_TABLE;
  }
  // "Cited" and "citing" have one stem and two meanings.
  const isVerb = span.some(({ lower }) => /(?:ed|ing)$/.test(lower) && !column.toLowerCase().includes(lower));
  if (isVerb) return 0;
  const plain = name.filter((word) => !COLUMN_DECORATION.has(word));
  if (plain.length > 0 && plain.join() === words.filter((word) => !COLUMN_DECORATION.has(word)).join())
    return UNDECORATED;
  if (isAbbreviation(span, name, column)) return ABBREVIATED;
  if (isVague(words) || table.words.join() === joined) return 0;
  // "Reviews" are no count of reviews.
  const rest = plain.filter((word) => !words.includes(word));
  if (rest.some((word) => /^(?:count|number|total|average|avg|max|min|rank|rat|percent|share)$/.test(word))) return 0;
  const isPart = plain.slice(-words.length).join() === joined || plain.slice(0, words.length).join() === joined;
  return isPart && plain.length > words.length ? PART : 0;
}

/** A word such as "name" or "id" that is a part of many names says too little alone. */
function isVague(words: readonly string[]): boolean {
  return words.every((word) =>
    /^(?:id|number|count|total|date|time|first|last|average|typ|cod|code|type|order|is|has|no|year|value|valu|max|min)$/.test(
      word,
    ),
  );
}

/** "Home town" names `hometown`. */
function isRunTogether(span: readonly Token[], name: string): boolean {
  const plain = (text: string) => singularOf(text.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, ""));
  return plain(span.map(({ lower }) => lower).join("")) === plain(name);
}

/** "First name" names `fname`, "department" names `dept`, "miles per gallon" names `mpg`. */
function isAbbreviation(span: readonly Token[], name: readonly string[], column: string): boolean {
  const said = span.map(({ lower }) => singularOf(lower));
  const plain = column.toLowerCase().replaceAll(/[^a-z]/g, "");
  if (said.length > 2 && plain === said.map((word) => word[0]).join("")) return true;
  const [first = "", ...rest] = said;
  const tail = rest.join("");
  if (rest.length > 0 && plain.endsWith(tail)) {
    const head = plain.slice(0, -tail.length);
    if (head.length > 0 && first.startsWith(head)) return true;
  }
  // `ContId` has two parts, as has `cont_id`.
  const parts = column
    .replaceAll(/(?<=[a-z])(?=[A-Z])/g, "_")
    .toLowerCase()
    .split(/[^a-z]+/);
  return (
    name.length === said.length &&
    parts.length === said.length &&
    said.every((word, i) => word === parts[i] || shortens(parts[i] ?? "", word))
  );
}

function shortens(short: string, word: string): boolean {
  if (short.length < 3 || short.length >= word.length || short[0] !== word[0]) return false;
  let at = 0;
  for (const letter of word) if (letter === short[at]) at++;
  return at === short.length;
}
