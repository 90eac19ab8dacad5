import { GRAIN_ADVERBS, GRAIN_NOUNS, type Grain } from "../dates";
import type { DimAsk, Frame, MeasureAsk } from "../frame";
import type { Linked, Mention } from "../link";
import type { Predicate, Ref } from "../plan";
import type { Schema, Table } from "../schema";
import { type Comparison, joinTokens, NUMBER_WORD, toNumber } from "../words";

export const NUMBER = `([$€£]?\\d[\\d,.]*[km]?|${NUMBER_WORD})`;
export const GRAINS: Readonly<Record<string, Grain>> = { ...GRAIN_NOUNS, ...GRAIN_ADVERBS };
export const MONEY = new Set(["revenu", "sale", "turnover", "incom", "valu", "value", "worth", "spend", "money"]);

/** Comparisons of one number, such as both ends of a range. */
export type Bounds = [Comparison, number][];
export type Range = { from: number; to: number; match: RegExpExecArray };

/** A linked question during its reading: words, names and the meaning found so far. */
export class Reading {
  readonly linked: Linked;
  readonly schema: Schema;
  readonly focus: readonly Table[];
  readonly text: string;
  readonly starts: readonly number[];
  readonly used = new Set<Mention>();
  /** Tokens that a part of the question has used. */
  readonly taken = new Set<number>();
  readonly frame: Frame;
  readonly laterComparisons: Bounds[] = [];
  readonly laterFilters: (() => Predicate[])[] = [];
  rankedFrom: number | null = null;
  mostAt: Range | null = null;
  superlative: Range | null = null;
  sortedFrom: number | null = null;
  metricFrom: number | null = null;
  perAt: Mention | null = null;
  inTotal = false;
  superlativeMeasure: Ref | null = null;
  readonly events: Table[] = [];
  isPassive = false;

  constructor(linked: Linked, schema: Schema, focus: readonly Table[]) {
    this.linked = linked;
    this.schema = schema;
    this.focus = focus;
    const { text, starts } = joinTokens(linked.tokens);
    this.text = text;
    this.starts = starts;
    this.frame = {
      target: null,
      measures: [],
      dims: [],
      filters: [],
      dates: [],
      exists: [],
      having: [],
      share: null,
      order: null,
      limit: null,
      shown: [],
      isDistinctList: false,
      ignored: [],
      hints: new Set(linked.tokens.map(({ stem }) => stem)),
    };
  }

  /** Returns each occurrence of the words, as token ranges. */
  all(source: string): Range[] {
    return [...this.text.matchAll(new RegExp(`(?<![^ ])(?:${source})(?= )`, "g"))].map((match) => this.range(match));
  }

  first(source: string): Range | null {
    return this.all(source)[0] ?? null;
  }

  has(source: string): boolean {
    return this.first(source) !== null;
  }

  range(match: RegExpExecArray): Range {
    const end = match.index + match[0].trimEnd().length;
    const from = this.starts.findIndex((start) => start >= match.index);
    const after = this.starts.findIndex((start) => start >= end);
    return { from, to: after < 0 ? this.starts.length : after, match };
  }

  take({ from, to }: { from: number; to: number }): void {
    for (let i = from; i < to; i++) this.taken.add(i);
  }

  /** Gives tokens back that turned out to have no meaning. */
  release({ from, to }: { from: number; to: number }): void {
    for (let i = from; i < to; i++) this.taken.delete(i);
  }

  use(mention: Mention): void {
    this.used.add(mention);
    this.take(mention);
  }

  stem(i: number): string {
    return this.linked.tokens[i]?.stem ?? "";
  }

  lower(i: number): string {
    return this.linked.tokens[i]?.lower ?? "";
  }

  at(i: number): Mention | null {
    return this.linked.mentions.find(({ from, to }) => i >= from && i < to) ?? null;
  }

  /** Returns the first mention that starts within some words from here, and before the end of the clause. */
  next(from: number, within = 3, wanted: (mention: Mention) => boolean = () => true): Mention | null {
    for (let i = from; i < this.linked.tokens.length && i <= from + within; i++) {
      if (/^[?.,;:]$/.test(this.lower(i))) return null;
      const mention = this.linked.mentions.find((each) => each.from === i);
      if (mention && !this.used.has(mention) && wanted(mention)) return mention;
    }
    return null;
  }

  isDateToken(i: number): boolean {
    return this.linked.dates.some(
      ({ fromToken, toToken, isBareYear }) => i >= fromToken && i < toToken && !(isBareYear && this.taken.has(i)),
    );
  }

  distance(table: Table): number {
    // Until its target is known, the question is about the first table it names.
    const first = this.linked.mentions.find(({ tables }) => tables.length === 1)?.tables[0]?.table ?? null;
    const near = [this.frame.target ?? first, ...this.frame.dims.map(tableOf), ...this.focus].filter(
      (each) => each !== null,
    );
    if (near.length === 0) return 0;
    const steps = near.map((from) => this.schema.path(from, table, this.frame.hints));
    return Math.min(
      ...steps.map((path, i) => (path === null ? 9 : path.reduce((sum, { isUp }) => sum + (isUp ? 1 : 1.5), i * 0.1))),
    );
  }

  pick(mention: Mention, wanted: (ref: Ref) => boolean = () => true): Ref | null {
    return this.nearest(mention.columns.filter(({ ref }) => wanted(ref)));
  }

  nearest(options: readonly { ref: Ref; fit: number }[]): Ref | null {
    const ranked = options.map(({ ref, fit }) => ({ ref, rank: fit - this.distance(ref.table) * 0.12 }));
    return ranked.sort((a, b) => b.rank - a.rank)[0]?.ref ?? null;
  }

  table(mention: Mention | null): Table | null {
    const options = mention?.tables ?? [];
    const [best] = options;
    if (!best || options.length === 1) return best?.table ?? null;
    const ranked = options.map(({ table, fit }) => ({ table, rank: fit - this.distance(table) * 0.05 }));
    return ranked.sort((a, b) => b.rank - a.rank)[0]?.table ?? null;
  }

  isTable(mention: Mention): boolean {
    return (
      mention.tables.length > 0 &&
      (mention.columns.length === 0 || (mention.tables[0]?.fit ?? 0) >= (mention.columns[0]?.fit ?? 0))
    );
  }

  isNumber(mention: Mention): boolean {
    return !this.isTable(mention) && mention.columns.some(({ ref }) => isAmount(ref));
  }

  wordsBetween(from: number, to: number): string[] {
    return this.linked.tokens.slice(from, to).map(({ lower }) => lower);
  }

  lastBefore(index: number, wanted: (mention: Mention) => boolean, within = 5): Mention | null {
    const found = this.linked.mentions.filter(
      (mention) => mention.to <= index && index - mention.to <= within && !this.used.has(mention) && wanted(mention),
    );
    return found.at(-1) ?? null;
  }

  isPlural(mention: Mention): boolean {
    const { lower = "" } = this.linked.tokens[mention.to - 1] ?? {};
    return lower.endsWith("s") && !lower.endsWith("ss") && !/^(status)$/.test(lower);
  }

  isUnder(table: Table, above: Table | null): boolean {
    return above !== null && this.schema.path(table, above) !== null;
  }

  /** Whether the column's name is next to its value. */
  isColumnNamed({ column }: Ref, mention: Mention): boolean {
    const near = this.linked.tokens.slice(Math.max(0, mention.from - 2), mention.to + 2);
    return near.some(({ stem }) => column.words.includes(stem));
  }

  /** Records an event of another table that happened to the counted rows, or that they caused. */
  addEvent(table: Table, mention: Mention): void {
    this.events.push(table);
    const before = this.wordsBetween(Math.max(0, mention.from - 3), mention.from);
    this.isPassive ||= before.some((word) => /^(was|were|is|are|been|be|being|got|get)$/.test(word));
  }
}

export function tableOf(dim: DimAsk): Table | null {
  return dim.kind === "entity" ? dim.table : (dim.ref?.table ?? null);
}

export function isAmount({ column }: Ref): boolean {
  return column.kind === "number" && !column.isReference;
}

export function sameMeasure(a: MeasureAsk, b: MeasureAsk): boolean {
  return a.fn === b.fn && a.table === b.table && a.refs[0]?.ref.column === b.refs[0]?.ref.column;
}

/** Returns the number that a pattern found; 0 if it found none. */
export function numberOf(text: string | undefined): number {
  return toNumber(text ?? "") ?? 0;
}
