import type { Grain } from "./dates";
import type { DateAsk, DimAsk, Frame, MeasureAsk, MeasureRef } from "./frame";
import type { FoundDate, Linked, Mention } from "./link";
import type { Predicate, Ref } from "./plan";
import { eventDate, mainMeasure, type Schema, type Table } from "./schema";
import { GRAMMAR, singularOf } from "./words";

/** Reads a linked question: which words ask for what. */
export function understand(linked: Linked, schema: Schema, focus: readonly Table[] = []): Frame {
  return new Reader(linked, schema, focus).read();
}

const GRAINS: Record<string, Grain> = {
  day: "day", days: "day", date: "day", dates: "day", daily: "day", week: "week", weeks: "week", weekly: "week", month: "month",
  months: "month", monthly: "month", quarter: "quarter", quarters: "quarter", quarterly: "quarter", year: "year", years: "year",
  yearly: "year", annual: "year", annually: "year",
}; // biome-ignore format: a table
const MONEY = new Set(["revenu", "sale", "turnover", "incom", "valu", "value", "worth", "spend", "money"]);
const NUMBER =
  "([$€£]?\\d[\\d,.]*[km]?|two|three|four|five|six|seven|eight|nine|ten|twelve|fifteen|twenty|fifty|hundred|thousand)";

type Range = { from: number; to: number; match: RegExpExecArray };

class Reader {
  readonly #linked: Linked;
  readonly #schema: Schema;
  readonly #focus: readonly Table[];
  readonly #text: string;
  readonly #starts: number[] = [];
  readonly #used = new Set<Mention>();
  /** Tokens that some part of the question has taken. */
  readonly #taken = new Set<number>();
  readonly #frame: Frame;

  constructor(linked: Linked, schema: Schema, focus: readonly Table[]) {
    this.#linked = linked;
    this.#schema = schema;
    this.#focus = focus;
    let text = "";
    for (const { lower } of linked.tokens) {
      this.#starts.push(text.length);
      text += `${lower} `;
    }
    this.#text = text;
    this.#frame = {
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

  read(): Frame {
    const frame = this.#frame;
    this.#comparisons();
    this.#shares();
    this.#ranking();
    this.#groups();
    this.#unknowns();
    this.#chooseTarget();
    this.#measures();
    this.#whoever();
    this.#missing();
    this.#texts();
    this.#values();
    this.#booleans();
    this.#dates();
    this.#finish();
    frame.ignored = this.#leftOver();
    return frame;
  }

  // --- looking at the words -------------------------------------------------------------------------------------

  /** Each place where the words stand, as tokens. */
  #all(source: string): Range[] {
    return [...this.#text.matchAll(new RegExp(`(?<![^ ])(?:${source})(?= )`, "g"))].map((match) => this.#range(match));
  }

  #first(source: string): Range | null {
    return this.#all(source)[0] ?? null;
  }

  #has(source: string): boolean {
    return this.#first(source) !== null;
  }

  #range(match: RegExpExecArray): Range {
    const end = match.index + match[0].trimEnd().length;
    const from = this.#starts.findIndex((start) => start >= match.index);
    const after = this.#starts.findIndex((start) => start >= end);
    return { from, to: after < 0 ? this.#starts.length : after, match };
  }

  #take({ from, to }: { from: number; to: number }): void {
    for (let i = from; i < to; i++) this.#taken.add(i);
  }

  #use(mention: Mention): void {
    this.#used.add(mention);
    this.#take(mention);
  }

  #stem(i: number): string {
    return this.#linked.tokens[i]?.stem ?? "";
  }

  #lower(i: number): string {
    return this.#linked.tokens[i]?.lower ?? "";
  }

  #at(i: number): Mention | null {
    return this.#linked.mentions.find(({ from, to }) => i >= from && i < to) ?? null;
  }

  /** The first mention from here on that begins within some words, and before the end of the clause. */
  #next(from: number, within = 3, wanted: (mention: Mention) => boolean = () => true): Mention | null {
    for (let i = from; i < this.#linked.tokens.length && i <= from + within; i++) {
      if (/^[?.,;:]$/.test(this.#lower(i))) return null;
      const mention = this.#linked.mentions.find((each) => each.from === i);
      if (mention && !this.#used.has(mention) && wanted(mention)) return mention;
    }
    return null;
  }

  #isDateToken(i: number): boolean {
    return this.#linked.dates.some(
      ({ fromToken, toToken, isBareYear }) => i >= fromToken && i < toToken && !(isBareYear && this.#taken.has(i)),
    );
  }

  // --- choosing between names -----------------------------------------------------------------------------------

  #distance(table: Table): number {
    // Before it is clear what the question is about, it is what it names first.
    const first = this.#linked.mentions.find(({ tables }) => tables.length === 1)?.tables[0]?.table ?? null;
    const near = [this.#frame.target ?? first, ...this.#frame.dims.map(tableOf), ...this.#focus].filter(
      (each) => each !== null,
    );
    if (near.length === 0) return 0;
    const steps = near.map((from) => this.#schema.path(from, table, this.#frame.hints));
    return Math.min(
      ...steps.map((path, i) => (path === null ? 9 : path.reduce((sum, { isUp }) => sum + (isUp ? 1 : 1.5), i * 0.1))),
    );
  }

  #pick(mention: Mention, wanted: (ref: Ref) => boolean = () => true): Ref | null {
    return this.#nearest(mention.columns.filter(({ ref }) => wanted(ref)));
  }

  #nearest(options: readonly { ref: Ref; fit: number }[]): Ref | null {
    const ranked = options.map(({ ref, fit }) => ({ ref, rank: fit - this.#distance(ref.table) * 0.12 }));
    return ranked.sort((a, b) => b.rank - a.rank)[0]?.ref ?? null;
  }

  #table(mention: Mention | null): Table | null {
    const options = mention?.tables ?? [];
    const [best] = options;
    if (!best || options.length === 1) return best?.table ?? null;
    const ranked = options.map(({ table, fit }) => ({ table, rank: fit - this.#distance(table) * 0.05 }));
    return ranked.sort((a, b) => b.rank - a.rank)[0]?.table ?? null;
  }

  #isTable(mention: Mention): boolean {
    return (
      mention.tables.length > 0 &&
      (mention.columns.length === 0 || (mention.tables[0]?.fit ?? 0) >= (mention.columns[0]?.fit ?? 0))
    );
  }

  #isNumber(mention: Mention): boolean {
    return !this.#isTable(mention) && mention.columns.some(({ ref }) => isAmount(ref));
  }

  // --- parts of the question ------------------------------------------------------------------------------------

  #comparisons(): void {
    const words: [string, ">" | ">=" | "<" | "<=" | "="][] = [
      ["no less than|not less than|at least|a minimum of|minimum|>=", ">="],
      ["no more than|not more than|at most|up to|a maximum of|<=", "<="],
      [
        "more than|greater than|higher than|larger than|bigger than|longer than|over|above|exceeding|exceeds|exceed|older than|>",
        ">",
      ],
      ["less than|fewer than|lower than|smaller than|shorter than|under|below|younger than|<", "<"],
      ["exactly|equal to|equals|=", "="],
    ];
    for (const range of this.#all(`between ${NUMBER} (?:and|to) ${NUMBER}`)) {
      const [low, high] = [toNumber(range.match[1]), toNumber(range.match[2])];
      if (this.#linked.dates.some(({ fromToken, toToken }) => fromToken < range.to && toToken > range.from)) {
        const mention = this.#next(range.to, 1, (each) => this.#isNumber(each));
        if (!mention) continue;
      }
      this.#comparison(range, [[">=", low], ["<=", high]]); // biome-ignore format: short
    }
    for (const [source, op] of words) {
      for (const range of this.#all(`(?:${source}) ${NUMBER}`)) {
        if ([...Array(range.to - range.from).keys()].some((i) => this.#taken.has(range.from + i))) continue;
        this.#comparison(range, [[op, toNumber(range.match[1])]]);
      }
    }
    for (const range of this.#all(`${NUMBER} (?:or|and) (more|above|over|higher|less|fewer|below|under|lower)`)) {
      const op = /more|above|over|higher/.test(range.match[2] ?? "") ? ">=" : "<=";
      this.#comparison(range, [[op, toNumber(range.match[1])]]);
    }
  }

  #comparison(range: Range, bounds: ["<" | "<=" | ">" | ">=" | "=", number][]): void {
    this.#take(range);
    const after = this.#next(range.to, 2, (mention) => this.#isNumber(mention) || this.#isTable(mention));
    const isNear =
      after &&
      !this.#wordsBetween(range.to, after.from).some((word) => /^(in|for|with|that|who|which|by|per)$/.test(word));
    const before = this.#lastBefore(range.from, (mention) => this.#isNumber(mention));
    if (before && /^costs?$/.test(this.#lower(before.to - 1))) {
      // What things cost is their price; their cost is what was paid for them.
      const priced = this.#schema.tables.flatMap((table) =>
        table.columns
          .filter(({ words, kind }) => kind === "number" && words.some((word) => /^pri(?:c|ce)$/.test(word)))
          .map((column) => ({ ref: { table, column }, fit: 1 })),
      );
      const subject = this.#subject(before);
      const own = priced.filter(({ ref }) => ref.table === subject);
      if (own.length > 0) before.columns = own;
    }
    // "more than 10 in fines" compares what the fines come to.
    const inside =
      after &&
      !isNear &&
      this.#wordsBetween(range.to, after.from).every((word) => /^(in|of|worth|total|euros?|dollars?)$/.test(word));
    if (after && isNear && this.#isNumber(after)) {
      this.#use(after);
      this.#numbers(after, bounds);
    } else if (after && inside && this.#isTable(after)) {
      this.#use(after);
      const table = this.#table(after);
      const ref = table && mainMeasure(table);
      if (table && ref)
        this.#having(
          { fn: "sum", isDistinct: false, table: null, refs: [{ ref: { table, column: ref }, fit: 1 }], per: null },
          bounds,
        );
    } else if (after && isNear) {
      this.#use(after);
      this.#having({ fn: "count", isDistinct: false, table: this.#table(after), refs: [], per: null }, bounds);
    } else if (before) {
      this.#use(before);
      const aggregate = this.#wordsBetween(Math.max(0, before.from - 3), before.from).join(" ");
      const fn = /average|avg|mean/.test(aggregate) ? "avg" : /total|sum|combined/.test(aggregate) ? "sum" : null;
      if (fn) this.#having({ fn, isDistinct: false, table: null, refs: this.#amounts(before), per: null }, bounds);
      else this.#numbers(before, bounds);
    } else {
      this.#laterComparisons.push(bounds);
    }
  }

  readonly #laterComparisons: ["<" | "<=" | ">" | ">=" | "=", number][][] = [];

  #numbers(mention: Mention, bounds: ["<" | "<=" | ">" | ">=" | "=", number][]): void {
    this.#laterFilters.push(() => {
      const ref = this.#pick(mention, isAmount) ?? this.#pick(mention);
      return ref ? bounds.map(([op, value]): Predicate => ({ kind: "compare", ref, op, value })) : [];
    });
  }

  readonly #laterFilters: (() => Predicate[])[] = [];

  #having(measure: MeasureAsk, bounds: ["<" | "<=" | ">" | ">=" | "=", number][]): void {
    for (const [op, value] of bounds) this.#frame.having.push({ measure, op, value });
  }

  #wordsBetween(from: number, to: number): string[] {
    return this.#linked.tokens.slice(from, to).map(({ lower }) => lower);
  }

  #lastBefore(index: number, wanted: (mention: Mention) => boolean, within = 5): Mention | null {
    const found = this.#linked.mentions.filter(
      (mention) => mention.to <= index && index - mention.to <= within && !this.#used.has(mention) && wanted(mention),
    );
    return found.at(-1) ?? null;
  }

  #shares(): void {
    const range = this.#first(
      "(?:what |which )?(?:is the |are the )?(?:share|percentage|percent|proportion|fraction|ratio|%)(?: share)?(?: of)?",
    );
    const isTail = this.#has("in percent|as a percentage|as percentages|in per cent|%");
    if (range && !/^(?:in )/.test(range.match[0])) {
      this.#take(range);
      this.#frame.share = { where: null };
    } else if (isTail) this.#frame.share = { where: null };
  }

  #ranking(): void {
    const frame = this.#frame;
    const top =
      this.#first(`(?:the )?(?:top|best|bottom|worst|first|last)(?:-| )${NUMBER}`) ??
      this.#first("(?:the )?(top|bottom)");
    const isInTime = top !== null && /(?:first|last)/.test(top.match[0]);
    if (top && isInTime && top.match[1] !== undefined && !this.#isDateToken(top.to - 1)) {
      this.#superlative = top;
      this.#take(top);
    } else if (top && !isInTime && !this.#isDateToken(top.to - 1)) {
      this.#take(top);
      frame.limit = toNumber(top.match[1]) || 10;
      frame.order = { ref: null, isDescending: !/bottom|worst|last/.test(top.match[0]) };
      this.#rankedFrom = top.to;
    }
    const superlative = this.#first(
      `(?:the )?(?:${NUMBER} )?(cheapest|priciest|(?:most|least) expensive|newest|latest|most recent|most recently|oldest|earliest|youngest|longest|shortest|slowest|fastest|quickest|(?:best|worst)(?! (?:first|paid|day|week|month|year|quarter|selling))|biggest|largest|smallest|highest|lowest|greatest|heaviest|best paid|highest paid|lowest paid|maximum|minimum)(?: ${NUMBER})?`,
    );
    if (
      this.#superlative === null &&
      superlative &&
      !/^(?:highest|lowest|biggest|largest|smallest|best|newest|oldest|latest)(?: \w+)? first/.test(
        this.#text.slice(superlative.match.index),
      )
    ) {
      this.#superlative = superlative;
      this.#take(superlative);
    } else if (
      this.#has(
        "(?:hired|joined|opened|created|born|placed|published|registered|signed up|started|came|borrowed|issued) (first|last)|(first|last) (?:hired|joined|opened|created|placed|published|registered)",
      )
    ) {
      const last = this.#first("first|last");
      if (last && !this.#isDateToken(last.from)) this.#superlative = last;
    }
    const count = this.#first(`(?:which|what|the) ${NUMBER}`);
    if (count && frame.limit === null && !this.#isDateToken(count.to - 1)) {
      frame.limit = toNumber(count.match[1]);
      this.#take(count);
    }
    const extreme = this.#first(
      "(?:the )?(highest|lowest|largest|biggest|smallest|greatest|best|worst)(?= (?:average|avg|mean|total|number|count|sum|revenue|sales|turnover|overall|combined))",
    );
    if (extreme && !this.#all("highest first|lowest first").length) {
      this.#superlative = null;
      this.#take(extreme);
      frame.order = { ref: null, isDescending: !/lowest|smallest|worst/.test(extreme.match[0]) };
      this.#mostAt = {
        ...extreme,
        match: Object.assign([extreme.match[0], extreme.match[1], undefined], {
          index: extreme.match.index,
          input: extreme.match.input,
        }) as unknown as RegExpExecArray,
      };
    }
    const most = extreme
      ? null
      : this.#first(
          "(?:the )?(most|fewest|least)(?: (common|frequent|popular|used|often|frequently|active|busy|frequently used|commonly used))?",
        );
    if (
      most &&
      !this.#superlative &&
      !this.#taken.has(most.from) &&
      !/^first/.test(this.#text.slice(most.match.index + most.match[0].length + 1))
    ) {
      this.#take(most);
      frame.order = { ref: null, isDescending: !/fewest|least/.test(most.match[0]) };
      this.#mostAt = most;
    }
    const busiest = this.#first("(busiest|quietest|strongest|weakest|best|worst|peak)");
    if (busiest && !frame.order && GRAINS[this.#lower(busiest.to)] !== undefined) {
      frame.order = { ref: null, isDescending: !/quiet|weak|worst/.test(busiest.match[0]) };
      frame.dims.push({ kind: "time", grain: GRAINS[this.#lower(busiest.to)] ?? "day", ref: null });
      frame.limit ??= 1;
      this.#take({ from: busiest.from, to: busiest.to + 1 });
    }
    const sorted = this.#first(
      "(highest|most|largest|biggest|best|busiest|lowest|fewest|least|smallest|worst|cheapest|newest|oldest|latest|most expensive)(?: \\w+)? (?:first|to \\w+)|in (descending|ascending) order|(descending|ascending)",
    );
    if (sorted) {
      this.#take(sorted);
      frame.order = {
        ref: null,
        isDescending: !/lowest|fewest|least|smallest|worst|cheapest|oldest|(?<!de)ascending/.test(sorted.match[0]),
      };
    }
    const by = this.#first(
      `(?:sorted|ordered|ranked|sort|rank)(?: \\w+)? (?:by|on)|order (?:(?:it|them|these|those|results|rows) )?by`,
    );
    if (by) {
      this.#take(by);
      this.#sortedFrom = by.to;
      frame.order ??= { ref: null, isDescending: /rank/.test(by.match[0]) };
    }
  }

  #rankedFrom: number | null = null;
  #mostAt: Range | null = null;
  #superlative: Range | null = null;
  #sortedFrom: number | null = null;

  #groups(): void {
    const frame = this.#frame;
    const isRanked = this.#rankedFrom !== null || this.#superlative !== null;
    for (const range of this.#all(
      "daily|weekly|monthly|quarterly|yearly|annual|annually|over time|day by day|month by month|month over month|year over year|(?:which|what|on which|in which|in what|on what|on what) (?:day|date|week|month|quarter|year)",
    )) {
      if (range.match[0].startsWith("over")) frame.dims.push({ kind: "time", grain: "month", ref: null });
      else {
        const grain = GRAINS[range.match[0].split(" ").at(-1) ?? ""];
        if (grain === undefined || (/^what|^which/.test(range.match[0]) && !this.#mostAt && !frame.order)) continue;
        // "Monthly salary" is a column.
        if (this.#at(range.from)?.fit === 1) continue;
        frame.dims.push({ kind: "time", grain, ref: null });
        if (this.#mostAt && /^(?:on |in )?(?:which|what)/.test(range.match[0])) frame.limit ??= 1;
      }
      this.#take(range);
    }
    const markers =
      "grouped by|group by|broken down by|break it down by|break that down by|break this down by|break them down by|down by|split by|split up by|split|by each|for each|for every|in each|at each|of each|from each|on each|to each|with each|in every|in all|each|every|per|by|across|for the different|between the different";
    for (const range of this.#all(`(?:${markers})`)) {
      this.#group(range, isRanked);
    }
  }

  #group(range: Range, isRanked: boolean): void {
    const frame = this.#frame;
    if (this.#taken.has(range.from)) return;
    const word = range.match[0].trim().split(" ")[0] ?? "";
    let at = range.to;
    for (let first = true; ; first = false) {
      while (/^(the|our|their|its|all|different|distinct|each|every|of|a|an)$/.test(this.#lower(at))) at++;
      const mention = this.#linked.mentions.find((each) => each.from === at);
      const grain = GRAINS[this.#lower(at)];
      if (mention && !this.#used.has(mention) && (grain === undefined || mention.fit >= 0.98)) {
        if (mention.values.length > 0 && !this.#isTable(mention) && mention.columns.length === 0) return;
        const isMetric = this.#isNumber(mention) && !mention.columns.some(({ ref }) => ref.column.isYear);
        if (word === "by" && isRanked && first) {
          this.#metricFrom = range.to;
          return;
        }
        if (isMetric && !/^(?:by|per|each)$/.test(word)) return;
        // "Average items per order" divides by orders.
        if (
          word === "per" &&
          this.#isTable(mention) &&
          this.#has("(?:average|avg|mean) (?:number|count|\\w+ counts?)")
        ) {
          this.#perAt = mention;
          this.#take(range);
          return;
        }
        const dim = this.#dimOf(mention);
        if (!dim) return;
        this.#use(mention);
        // "By hire year" is by the year of the date.
        const ownGrain = GRAINS[this.#lower(mention.to)];
        if (dim.kind === "time" && ownGrain !== undefined) {
          dim.grain = ownGrain;
          this.#take({ from: mention.to, to: mention.to + 1 });
        }
        frame.dims.push(dim);
        at = mention.to + (dim.kind === "time" && ownGrain !== undefined ? 1 : 0);
      } else if (grain !== undefined && !this.#isDateToken(at)) {
        frame.dims.push({ kind: "time", grain, ref: null });
        this.#take({ from: at, to: at + 1 });
        at++;
      } else {
        if (first && word === "by") this.#metricFrom = this.#metricFrom ?? (isRanked ? range.to : null);
        return;
      }
      this.#take(range);
      if (!/^(and|,|then)$/.test(this.#lower(at))) return;
      const next = this.#linked.mentions.find((each) => each.from > at && each.from <= at + 3);
      const follows =
        GRAINS[this.#lower(at + 1)] !== undefined ||
        (next && (this.#isTable(next) || next.columns.some(({ ref }) => !isAmount(ref))));
      if (!follows) return;
      at++;
      if (/^(and|by|per)$/.test(this.#lower(at))) at++;
    }
  }

  #metricFrom: number | null = null;
  #perAt: Mention | null = null;

  #dimOf(mention: Mention): DimAsk | null {
    const table = this.#isTable(mention) ? this.#table(mention) : null;
    if (table) return { kind: "entity", table };
    const [best] = mention.columns;
    if (!best) return null;
    const ref = this.#nearest(mention.columns) ?? best.ref;
    return ref.column.kind === "date" ? { kind: "time", grain: "day", ref } : { kind: "column", ref };
  }

  /** What the question is about: what is counted, listed or ranked. */
  #chooseTarget(): void {
    const frame = this.#frame;
    const free = this.#linked.mentions.filter((mention) => !this.#used.has(mention) && mention !== this.#perAt);
    const ranked = this.#rankedFrom ?? (this.#mostAt || this.#superlative ? null : null);
    if (ranked !== null) {
      const mention = free.find(({ from }) => from >= ranked && from <= ranked + 2);
      const dim = mention && this.#rankedDim(mention);
      if (mention && dim) {
        frame.dims.unshift(dim);
        this.#use(mention);
        return;
      }
    }
    const [first] = free;
    const sorted = this.#sortedFrom;
    if (sorted !== null && frame.dims.length === 0 && first && first.to < sorted) {
      const isFigure = this.#wordsBetween(sorted, sorted + 3).some((word) =>
        /^(number|count|total|sum|average|avg)$/.test(word),
      );
      const dim = isFigure ? this.#rankedDim(first) : null;
      if (dim) {
        frame.dims.push(dim);
        this.#use(first);
        return;
      }
    }
    // "Countries with more than 50 customers" are told apart by the column.
    if (frame.having.length > 0 && frame.dims.length === 0 && first && !this.#isTable(first)) {
      const isCounted = this.#has("how many|number of|count of");
      const ref = this.#pick(first, (each) => each.column.kind === "text");
      if (ref && !isCounted) {
        frame.dims.push({ kind: "column", ref });
        this.#use(first);
        return;
      }
    }
    if (this.#mostAt) {
      const most = this.#mostAt;
      const isPlain = most.match[2] !== undefined && !/often|frequently/.test(most.match[2]);
      // "The most common reasons", and "agents with the most tickets".
      const mention = isPlain
        ? free.find(({ from }) => from >= most.to && from <= most.to + 2)
        : free
            .filter(({ to }) => to <= most.from)
            .find(
              (each) =>
                this.#isTable(each) || each.columns.some(({ ref }) => !isAmount(ref) && ref.column.kind !== "date"),
            );
      const dim = mention && frame.dims.length === 0 ? this.#rankedDim(mention) : null;
      if (mention && dim) {
        frame.dims.push(dim);
        this.#use(mention);
        const isOne = !isPlain && frame.limit === null && !this.#isPlural(mention);
        if (isOne) frame.limit = 1;
        if (isPlain && frame.limit === null && !this.#isPlural(mention)) frame.limit = 1;
        return;
      }
    }
  }

  #isPlural(mention: Mention): boolean {
    const { lower = "" } = this.#linked.tokens[mention.to - 1] ?? {};
    return lower.endsWith("s") && !lower.endsWith("ss") && !/^(status)$/.test(lower);
  }

  #rankedDim(mention: Mention): DimAsk | null {
    if (this.#isTable(mention)) {
      const table = this.#table(mention);
      return table ? { kind: "entity", table } : null;
    }
    const ref = this.#pick(mention, (each) => !isAmount(each) && each.column.kind !== "date");
    return ref ? { kind: "column", ref } : null;
  }

  #measures(): void {
    const frame = this.#frame;
    if (this.#sortedFrom !== null) {
      const mention = this.#next(this.#sortedFrom, 4);
      const ref = mention && this.#pick(mention);
      const isCounted = this.#wordsBetween(this.#sortedFrom, this.#sortedFrom + 3).some((word) =>
        /number|count|total|sum|average/.test(word),
      );
      if (mention && ref && !isCounted && frame.dims.length === 0) {
        frame.order = { ref, isDescending: frame.order?.isDescending ?? false };
        this.#use(mention);
      }
    }
    if (this.#metricFrom !== null) {
      const from = this.#metricFrom;
      const measure = this.#measureFrom(from, this.#clauseEnd(from));
      const ref = measure?.refs[0]?.ref;
      if (measure && frame.dims.length > 0) {
        // A number of the ranked rows themselves ranks them as they are.
        const [dim] = frame.dims;
        if (dim?.kind === "entity" && measure.fn === "sum" && ref?.table === dim.table && !measure.isExplicit) {
          frame.target = dim.table;
          frame.dims.shift();
          frame.order = { ref, isDescending: frame.order?.isDescending ?? true };
        } else frame.measures.push(measure);
      } else if (measure && this.#superlative) this.#superlativeMeasure = ref ?? null;
    }
    if (this.#mostAt && (frame.dims.length > 0 || this.#has("who|whom")) && frame.measures.length === 0) {
      const measure = this.#measureFrom(this.#mostAt.to, this.#clauseEnd(this.#mostAt.to));
      if (measure) frame.measures.push(measure);
    }
    const asks: [string, (range: Range) => MeasureAsk | null][] = [
      ["(?:average|avg|mean|typical)(?: number of| count of| amount of)?", (range) => this.#aggregate("avg", range)],
      [
        "(?:total|sum|overall|combined|cumulative)(?: of| number of| amount of)?(?: the| all)*",
        (range) => this.#aggregate("sum", range),
      ],
      [
        "how many|number of|count of|count all|count the|counts of|count|counts|no of|how often",
        (range) => this.#count(range),
      ],
      ["how much", (range) => this.#aggregate("sum", range)],
      ["on average", () => this.#onAverage()],
    ];
    for (const [source, toMeasure] of asks) {
      for (const range of this.#all(source)) {
        if (this.#taken.has(range.from) || this.#sortedFrom === range.to) continue;
        if (/^(?:total|overall|sum|combined)/.test(range.match[0]) && this.#lower(range.from - 1) === "in") {
          this.#inTotal = true;
          this.#take(range);
          continue;
        }
        const measure = toMeasure(range);
        if (!measure) continue;
        this.#take(range);
        if (!frame.measures.some((each) => sameMeasure(each, measure))) frame.measures.push(measure);
      }
    }
    this.#superlatives();
    if (frame.measures.length === 0 && !frame.target) this.#bareMeasures();
  }

  /** "What do we refund on average": what the sentence is about, before or behind. */
  #onAverage(): MeasureAsk | null {
    const free = this.#linked.mentions.filter((mention) => !this.#used.has(mention) && mention.values.length === 0);
    const amount = free.find((mention) => this.#isNumber(mention));
    if (amount) {
      this.#use(amount);
      return { fn: "avg", isDistinct: false, table: null, refs: this.#amounts(amount), per: null };
    }
    const happened = this.#happened(free);
    return happened && { ...happened, fn: "avg" };
  }

  #inTotal = false;
  #superlativeMeasure: Ref | null = null;

  #clauseEnd(from: number): number {
    for (let i = from; i < this.#linked.tokens.length; i++) {
      if (/^[?.,;:]$/.test(this.#lower(i)) || this.#isDateToken(i)) return i;
    }
    return this.#linked.tokens.length;
  }

  #measureFrom(from: number, to: number): (MeasureAsk & { isExplicit: boolean }) | null {
    const words = this.#wordsBetween(from, to).join(" ");
    const fn = /\b(average|avg|mean)\b/.test(words)
      ? "avg"
      : /\b(total|sum|overall|combined)\b/.test(words)
        ? "sum"
        : null;
    const isCount = /\b(number|count)\b/.test(words);
    const free = this.#linked.mentions.filter(
      (mention) => mention.from >= from && mention.to <= to && !this.#used.has(mention),
    );
    const amount = free.find((mention) => this.#isNumber(mention));
    const quantity = this.#quantity(from, to);
    if (quantity && (!amount || !fn)) {
      this.#take({ from, to });
      for (const mention of free) if (this.#isTable(mention)) this.#use(mention);
      return { ...quantity, isExplicit: true };
    }
    if (amount && !isCount) {
      this.#use(amount);
      this.#take({ from, to: amount.to });
      return {
        fn: fn ?? "sum",
        isDistinct: false,
        table: null,
        refs: this.#amounts(amount),
        per: null,
        isExplicit: fn !== null,
      };
    }
    const money = this.#moneyWord(from, to);
    const counted = free.find((mention) => this.#isTable(mention));
    if (money.length > 0 && !isCount && !counted)
      return { fn: fn ?? "sum", isDistinct: false, table: null, refs: money, per: null, isExplicit: fn !== null };
    if (counted) {
      this.#use(counted);
      this.#take({ from, to: counted.to });
      const table = this.#table(counted);
      const column = fn && table ? mainMeasure(table) : null;
      if (fn && table && column)
        return {
          fn,
          isDistinct: false,
          table: null,
          refs: [{ ref: { table, column }, fit: 1 }],
          per: null,
          isExplicit: true,
        };
      return {
        fn: "count",
        isDistinct: /\b(distinct|different|unique)\b/.test(words),
        table,
        refs: [],
        per: null,
        isExplicit: true,
      };
    }
    // "Borrowed most often" counts what has the date of it.
    const event = this.#linked.mentions.find(
      (mention) => !this.#used.has(mention) && mention.columns.some(({ ref }) => ref.column.kind === "date"),
    );
    const ref = event && this.#pick(event, ({ column }) => column.kind === "date");
    if (event && ref) {
      this.#use(event);
      return { fn: "count", isDistinct: false, table: ref.table, refs: [], per: null, isExplicit: true };
    }
    return null;
  }

  /** "Units sold" adds quantities up. */
  #quantity(from: number, to: number): MeasureAsk | null {
    const words = this.#wordsBetween(from, to).join(" ");
    if (
      !/\b(units?|pieces?|quantity|(?:items?|products?|copies|articles?) (?:sold|ordered|bought|purchased)|sold)\b/.test(
        words,
      )
    )
      return null;
    if (/\b(revenue|value|amount|money)\b/.test(words)) return null;
    const refs = this.#schema.tables.flatMap((table) =>
      table.columns
        .filter(
          ({ words: name, kind }) => kind === "number" && ["quantiti", "unit", "quantity"].includes(name.at(-1) ?? ""),
        )
        .map((column) => ({ ref: { table, column }, fit: 0.9 })),
    );
    return refs.length > 0 ? { fn: "sum", isDistinct: false, table: null, refs, per: null } : null;
  }

  /** Amounts that a mention may mean, with what prices and quantities come to. */
  #amounts(mention: Mention): MeasureRef[] {
    const own = mention.columns.filter(({ ref }) => isAmount(ref));
    const isMoney = this.#linked.tokens.slice(mention.from, mention.to).some(({ stem }) => MONEY.has(stem));
    return [...own, ...(isMoney ? this.#moneyColumns() : [])].sort((a, b) => b.fit - a.fit);
  }

  #computed(): MeasureRef[] {
    return this.#schema.tables.flatMap((table) => {
      const quantity = table.columns.find(
        ({ words, kind }) => kind === "number" && ["quantiti", "quantity"].includes(words.at(-1) ?? ""),
      );
      const price = table.columns.find(
        ({ words, kind }) => kind === "number" && words.some((word) => word === "pric" || word === "price"),
      );
      return quantity && price ? [{ ref: { table, column: price }, times: { table, column: quantity }, fit: 0.5 }] : [];
    });
  }

  #moneyWord(from: number, to: number): MeasureRef[] {
    const isSaid = this.#linked.tokens.slice(from, to).some(({ stem }) => MONEY.has(stem));
    return isSaid ? this.#moneyColumns() : [];
  }

  /** "Time spent" is a duration. */
  #lasting(from: number, to: number): MeasureRef[] {
    if (!this.#wordsBetween(from, to).some((word) => /^(time|duration|long)$/.test(word))) return [];
    const named = this.#linked.mentions.map((mention) => this.#table(mention));
    return this.#schema.tables.flatMap((table) =>
      table.columns
        .filter(
          (column) =>
            isAmount({ table, column }) &&
            column.words.some((word) => /^(duration|length|minut|second|ms|hour)$/.test(word)),
        )
        .map((column) => ({ ref: { table, column }, fit: named.includes(table) ? 1 : 0.5 })),
    );
  }

  /** What money comes to: totals, and prices times quantities. */
  #moneyColumns(): MeasureRef[] {
    const totals = this.#schema.tables.flatMap((table) =>
      table.columns
        .filter(
          (column) =>
            isAmount({ table, column }) && column.words.some((word) => ["total", "amount", "revenu"].includes(word)),
        )
        .map((column) => ({ ref: { table, column }, fit: table.isView ? 0.55 : 0.62 })),
    );
    return [...totals, ...this.#computed()];
  }

  #count(range: Range): MeasureAsk | null {
    const frame = this.#frame;
    const isDistinct = this.#wordsBetween(range.to, range.to + 2).some((word) =>
      /^(distinct|different|unique)$/.test(word),
    );
    const quantity = this.#quantity(range.to, Math.min(this.#clauseEnd(range.to), range.to + 3));
    if (quantity) {
      this.#take({ from: range.to, to: range.to + 1 });
      const mention = this.#next(range.to, 0);
      if (mention) this.#use(mention);
      return quantity;
    }
    const counted = /^counts?$/.test(range.match[0])
      ? this.#lastBefore(range.from, (each) => this.#isTable(each), 0)
      : null;
    if (counted) {
      // "Order counts" are counts of orders.
      this.#use(counted);
      const table = this.#table(counted);
      frame.target ??= table;
      return { fn: "count", isDistinct, table, refs: [], per: null };
    }
    const mention = this.#next(range.to, 5, (each) => this.#isTable(each) || each.columns.length > 0);
    if (!mention) return { fn: "count", isDistinct: false, table: null, refs: [], per: null };
    if (this.#isTable(mention)) {
      this.#use(mention);
      const table = this.#table(mention);
      frame.target ??= table;
      return { fn: "count", isDistinct, table, refs: [], per: null };
    }
    const ref = this.#pick(mention, (each) => each.column.kind !== "date");
    const isCountedColumn =
      ref &&
      (isDistinct || (ref.column.kind === "text" && mention.from <= range.to + 1 && mention.values.length === 0));
    if (ref && isCountedColumn) {
      this.#use(mention);
      frame.target ??= ref.table;
      return { fn: "count", isDistinct: true, table: null, refs: [{ ref, fit: 1 }], per: null };
    }
    if (ref && isAmount(ref) && mention.from <= range.to + 1) {
      this.#use(mention);
      return { fn: "sum", isDistinct: false, table: null, refs: this.#amounts(mention), per: null };
    }
    return { fn: "count", isDistinct, table: null, refs: [], per: null };
  }

  #aggregate(fn: "avg" | "sum", range: Range): MeasureAsk | null {
    const frame = this.#frame;
    const end = Math.min(this.#clauseEnd(range.to), range.to + 8);
    const free = this.#linked.mentions.filter(
      (mention) => mention.from >= range.to && mention.from < end && !this.#used.has(mention),
    );
    const per = this.#perAt ? this.#table(this.#perAt) : null;
    if (fn === "avg" && per) {
      this.#use(this.#perAt as Mention);
      const counted = free.find((mention) => mention !== this.#perAt);
      const own = counted?.columns.find(({ ref }) => ref.table === per && isAmount(ref));
      const byWord =
        counted &&
        per.columns.find(
          (column) =>
            column.kind === "number" && !column.isReference && column.words.includes(this.#stem(counted.to - 1)),
        );
      if (counted) this.#use(counted);
      if (own || byWord) {
        const ref = own?.ref ?? { table: per, column: byWord as Ref["column"] };
        return { fn: "avg", isDistinct: false, table: null, refs: [{ ref, fit: 1 }], per: null };
      }
      const table = counted ? this.#table(counted) : null;
      if (table) {
        this.#take({ from: range.from, to: (counted?.to ?? range.to) + 1 });
        frame.target ??= table;
        return { fn: "count", isDistinct: false, table, refs: [], per };
      }
    }
    const amount = free.find((mention) => this.#isNumber(mention));
    const durations = this.#lasting(range.from, end);
    if (durations.length > 0 && (!amount || amount.fit < 0.9)) {
      if (amount) this.#use(amount);
      return { fn, isDistinct: false, table: null, refs: durations, per: null };
    }
    const isTail = fn === "sum" && this.#linked.tokens.slice(range.to).every(({ lower }) => GRAMMAR.has(lower));
    const table =
      free.find((mention) => this.#isTable(mention)) ??
      (isTail ? this.#lastBefore(range.from, (mention) => this.#isTable(mention), 1) : null);
    if (range.match[0] === "how much" && !amount) {
      const happened = this.#happened(free);
      if (happened) return happened;
    }
    const quantity = fn === "sum" && !amount ? this.#quantity(range.to, end) : null;
    if (quantity) return quantity;
    if (amount && !(table && table.from < amount.from && fn === "sum" && /number|count/.test(range.match[0]))) {
      this.#use(amount);
      return { fn, isDistinct: false, table: null, refs: this.#amounts(amount), per: null };
    }
    const money = this.#moneyWord(range.from, end);
    if (money.length > 0) return { fn, isDistinct: false, table: null, refs: money, per: null };
    const counted = table ? this.#table(table) : null;
    if (!counted || !table) {
      // "How much did we collect in fines": what is behind the verb.
      return null;
    }
    if (/number|count/.test(range.match[0])) {
      this.#use(table);
      return { fn: "count", isDistinct: false, table: counted, refs: [], per: null };
    }
    const column = mainMeasure(counted);
    this.#use(table);
    frame.target ??= counted;
    return column
      ? { fn, isDistinct: false, table: null, refs: [{ ref: { table: counted, column }, fit: 1 }], per: null }
      : { fn: "count", isDistinct: false, table: counted, refs: [], per: null };
  }

  /** "How much was refunded", "how much came in by fines": what the table that is named adds up to. */
  #happened(free: readonly Mention[]): MeasureAsk | null {
    const isMoney = ({ words }: Ref["column"]) =>
      words.some((word) => /^(total|amount|pric|price|fee|cost|valu|revenu|salari|paid|balanc)$/.test(word));
    for (const mention of free) {
      const event = mention.columns.find(({ ref, fit }) => ref.column.kind === "date" && fit >= 0.9)?.ref.table;
      const tables = this.#isTable(mention) ? [this.#table(mention)] : event ? [event] : [];
      for (const table of tables) {
        const column = table && mainMeasure(table);
        if (!table || !column || !isMoney(column)) continue;
        this.#use(mention);
        return { fn: "sum", isDistinct: false, table: null, refs: [{ ref: { table, column }, fit: 1 }], per: null };
      }
    }
    return null;
  }

  /** "Who" is a person: whoever the counted rows belong to. */
  #whoever(): void {
    const frame = this.#frame;
    const [measure] = frame.measures;
    if (!measure || frame.dims.length > 0 || !this.#has("who|whom") || frame.order === null) return;
    const isPerson = ({ columns }: Table) =>
      columns.some(({ words }) => /^(first name|last name|full name|email|mail)$/.test(words.join(" ")));
    const events = this.#linked.mentions
      .filter((mention) => !this.#used.has(mention) && !this.#isTable(mention))
      .flatMap((mention) => mention.columns.filter(({ ref, fit }) => ref.column.kind === "date" && fit >= 0.9));
    const tables = [
      measure.table,
      ...measure.refs.map(({ ref }) => ref.table),
      ...events.map(({ ref }) => ref.table),
    ].filter((table) => table !== null);
    const found = this.#schema.tables
      .filter(isPerson)
      .flatMap((person) => tables.map((table) => ({ person, path: this.#schema.path(table, person, frame.hints) })))
      .filter(({ path }) => path !== null && path.length > 0 && path.every(({ isUp }) => isUp))
      .sort((a, b) => (a.path?.length ?? 0) - (b.path?.length ?? 0))[0];
    if (!found) return;
    frame.dims.push({ kind: "entity", table: found.person });
    frame.limit ??= 1;
  }

  /** Numbers that are not there: "no known number of employees", "employees unknown". */
  #unknowns(): void {
    const before =
      "(?:no|without|missing|unknown|(?:do not|don't|does not|doesn't|did not|didn't|have not|haven't) (?:say|said|state|stated|tell|told|give|given|report|reported|list|know|have|specify|specified|provide|provided))(?: (?:us|a|an|any|the|known|stated|given|their|how|many|much|number|count|of|its))*";
    for (const range of this.#all(before)) {
      const mention = this.#linked.mentions.find(({ from }) => from === range.to);
      const ref = mention && !this.#used.has(mention) && this.#isNumber(mention) ? this.#pick(mention, isAmount) : null;
      if (mention && ref) this.#isEmpty(ref, mention, range);
    }
    for (const range of this.#all(
      "(?:is|are|was|were) (?:unknown|missing|empty|not known|not set|blank|null|not given)",
    )) {
      const mention = this.#lastBefore(range.from, (each) => each.columns.length > 0 && !this.#isTable(each), 1);
      const ref = mention && this.#pick(mention);
      if (mention && ref) this.#isEmpty(ref, mention, range);
    }
  }

  #isEmpty(ref: Ref, mention: Mention, range: Range): void {
    this.#frame.filters.push({ kind: "null", ref, isNegated: false });
    this.#use(mention);
    this.#take(range);
  }

  #superlatives(): void {
    const frame = this.#frame;
    const range = this.#superlative;
    if (!range) return;
    const word = range.match[0];
    const count = toNumber(range.match[1] ?? range.match[3]) || null;
    const isDescending =
      !/\b(?:cheapest|least|oldest|earliest|shortest|fastest|quickest|smallest|lowest|worst|minimum|first)\b/.test(
        word,
      ) || /youngest/.test(word);
    const isTime = /newest|latest|recent|oldest|earliest|youngest|first|last/.test(word);
    const isPrice = /cheap|expensive|pric/.test(word);
    const near = this.#linked.mentions.filter((mention) => !this.#used.has(mention));
    const named = this.#superlativeMeasure
      ? null
      : near.find(
          (mention) =>
            mention.from >= range.to &&
            mention.from <= range.to + 4 &&
            (this.#isNumber(mention) || (isTime && mention.columns.some(({ ref }) => ref.column.kind === "date"))),
        );
    const paid = /paid/.test(word);
    const subject = near.find((mention) => this.#isTable(mention));
    const table = subject
      ? this.#table(subject)
      : (frame.target ?? named?.columns[0]?.ref.table ?? this.#focus[0] ?? null);
    if (subject && !frame.target) frame.target = table;
    let ref: Ref | null = this.#superlativeMeasure;
    const within = (wanted: (ref: Ref) => boolean) => {
      const column = table?.columns.find((each) => wanted({ table, column: each }));
      return table && column ? { table, column } : null;
    };
    if (!ref && named) ref = this.#pick(named, (each) => (isTime ? each.column.kind === "date" : isAmount(each)));
    if (!ref && paid)
      ref = within(
        ({ column }) =>
          column.kind === "number" && column.words.some((each) => /salari|wag|pay|compensation/.test(each)),
      );
    if (!ref && isPrice)
      ref = within(
        ({ column }) =>
          column.kind === "number" && column.words.some((each) => /^(pric|price|cost|amount|total|fee)$/.test(each)),
      );
    if (!ref && isTime && !table) {
      const happened = near.find((mention) => mention.columns.some((each) => each.ref.column.kind === "date"));
      const found = happened && this.#pick(happened, (each) => each.column.kind === "date");
      if (happened && found) {
        this.#use(happened);
        frame.target = found.table;
        frame.order = { ref: found, isDescending };
        frame.limit = count ?? 1;
        return;
      }
    }
    if (!ref && isTime && table) {
      const verb = near.find((mention) =>
        mention.columns.some(({ ref: each }) => each.table === table && each.column.kind === "date"),
      );
      ref = verb ? this.#pick(verb, (each) => each.column.kind === "date" && each.table === table) : null;
      if (verb) this.#use(verb);
      const year = within(({ column }) => column.isYear);
      const column = /youngest|oldest/.test(word)
        ? table.columns.find((each) => each.words.includes("birth"))
        : undefined;
      ref ??= column ? { table, column } : null;
      const date = eventDate(table);
      ref ??= date ? { table, column: date } : year;
    }
    if (!ref && /long|short|slow|fast|quick/.test(word))
      ref = within(
        ({ column }) =>
          column.kind === "number" &&
          column.words.some((each) => /duration|length|minut|second|page|ms|hour/.test(each)),
      );
    if (!ref && table) {
      const column = mainMeasure(table);
      ref = column && { table, column };
    }
    if (!ref) return;
    if (named) this.#use(named);
    const isOwn = ref.table === table;
    if (frame.dims.length > 0 || (!subject && !isTime && !frame.target) || !isOwn) {
      // "Which channel has the slowest reply" is about channels.
      const asked = near.find(
        (mention) => mention !== named && mention.to <= range.from && (mention === subject || !this.#isNumber(mention)),
      );
      const dim = frame.dims.length === 0 && asked && this.#has("which|what|who") ? this.#rankedDim(asked) : null;
      if (dim && asked) {
        frame.dims.push(dim);
        this.#use(asked);
        frame.order = { ref: null, isDescending };
        frame.limit = count ?? (this.#isPlural(asked) ? 10 : 1);
      }
      frame.measures.push({
        fn: isDescending ? "max" : "min",
        isDistinct: false,
        table: null,
        refs: [{ ref, fit: 1 }],
        per: null,
      });
      return;
    }
    if (subject) this.#use(subject);
    frame.target = table;
    frame.order = { ref, isDescending };
    frame.limit = count ?? (frame.limit && frame.limit > 0 ? frame.limit : 1);
    if (subject && this.#isPlural(subject) && count === null && this.#rankedFrom === null && frame.limit === 1)
      frame.limit = 10;
    frame.measures = [];
  }

  /** Amounts without a word that says what to do with them. */
  #bareMeasures(): void {
    const frame = this.#frame;
    const free = this.#linked.mentions.filter((mention) => !this.#used.has(mention));
    const amount = free.find((mention) => this.#isNumber(mention));
    const isMoney = this.#linked.tokens.some(({ stem }) => MONEY.has(stem));
    const isAsked =
      frame.dims.length > 0 ||
      this.#inTotal ||
      this.#has("what was|what is|what's|what were|how much|spend|spent|earn|make");
    if (amount && isAsked && (frame.dims.length > 0 || this.#inTotal || isMoney)) {
      this.#use(amount);
      const refs = this.#amounts(amount);
      const isAdditive = refs.some(({ ref }) =>
        /total|amount|revenu|quantiti|sale|cost|salari|pric|fee|count|item/.test(ref.column.words.join(" ")),
      );
      const fn =
        isMoney || this.#inTotal || (isAdditive && !/pric|salari/.test(refs[0]?.ref.column.words.join(" ") ?? ""))
          ? "sum"
          : "avg";
      frame.measures.push({ fn, isDistinct: false, table: null, refs, per: null });
    } else if (isMoney && isAsked) {
      const refs = this.#moneyWord(0, this.#linked.tokens.length);
      if (refs.length > 0) frame.measures.push({ fn: "sum", isDistinct: false, table: null, refs, per: null });
    }
  }

  /** "Without", "never", "no": what is not there. */
  #missing(): void {
    const frame = this.#frame;
    const before = this.#frame.target;
    for (const range of this.#all(
      "without(?: any| an| a)?|with no|have no|has no|had no|having no|lacking|missing|(?:don't|do not|doesn't|does not|didn't|did not|haven't|have not|hasn't|has not) (?:have|had|say|state|give|got)?(?: any| an| a)?|not have(?: any| an| a)?|have never|has never|had never|never|nobody(?: has| have)?|no one(?: has| have)?|not been|were not|was not|is not|are not|aren't|isn't|not|never been|unable|no",
    )) {
      if (this.#taken.has(range.from) && this.#taken.has(range.to - 1)) continue;
      const mention = this.#next(
        range.to,
        4,
        (each) =>
          this.#isTable(each) ||
          each.columns.some(({ ref }) => ref.column.kind !== "boolean") ||
          each.columns.length > 0,
      );
      if (!mention) continue;
      const isNever = /never|yet/.test(`${range.match[0]} ${this.#lower(mention.to)}`);
      if (mention.values.length > 0 && !isNever) continue;
      const isNoun = !/^(?:were not|was not|is not|are not|aren't|isn't|not)$/.test(range.match[0].trim());
      const event = this.#pick(mention, ({ column }) => column.kind === "date");
      const table = this.#isTable(mention) ? this.#table(mention) : null;
      const subject = before ?? this.#subject(mention);
      if (event && event.table === subject && event.column.nullable && !table) {
        frame.filters.push({ kind: "null", ref: event, isNegated: false });
      } else if (table && subject && table !== subject && isNoun) {
        this.#anti(subject, table);
      } else if (event && subject && event.table !== subject && isNoun) {
        this.#anti(subject, event.table);
      } else if (this.#isTable(mention) && mention.columns.length === 0) {
        continue;
      } else {
        const ref =
          this.#pick(
            mention,
            ({ column, table: each }) => column.kind !== "boolean" && (!subject || each === subject),
          ) ?? null;
        if (!ref || !isNoun) continue;
        frame.filters.push({ kind: "null", ref, isNegated: false });
      }
      this.#use(mention);
      this.#take(range);
      // "Never opened a ticket": the rest of the clause says the same.
      const more = this.#next(mention.to, 3, (each) => this.#isTable(each));
      if (more && !this.#used.has(more)) {
        const anti = frame.exists.at(-1);
        const other = this.#table(more);
        if (anti && other && other !== subject && this.#isUnder(other, subject)) {
          anti.table = other === anti.table || !this.#isUnder(anti.table, other) ? other : anti.table;
          this.#use(more);
        } else if (!anti && other && subject && other !== subject && this.#isUnder(other, subject) && isNoun) {
          frame.filters.pop();
          this.#anti(subject, other);
          this.#use(more);
        } else if (anti && other === subject) this.#use(more);
      }
    }
    for (const range of this.#all("(un|in|non-?|not )(\\w+)")) {
      const i = range.to - 1;
      if (this.#taken.has(i)) continue;
      const stem = this.#stem(i).replace(/^(?:un|in|non)/, "");
      const word = this.#lower(i);
      if (!/^(?:un|in)/.test(word) || GRAMMAR.has(word) || this.#at(i)?.fit === 1 || this.#at(i)?.values.length)
        continue;
      const tables = [
        frame.target,
        ...frame.dims.map(tableOf),
        ...this.#linked.mentions.map((each) => this.#table(each)),
        ...this.#focus,
      ].filter((each) => each !== null);
      const found = tables
        .flatMap((table) => table.columns.map((column) => ({ table, column })))
        .find(({ column }) => column.words.includes(stem));
      const key =
        found ??
        tables
          .flatMap((table) => table.columns.map((column) => ({ table, column })))
          .find(
            ({ column }) =>
              column.isReference &&
              column.nullable &&
              column.words.some((each) => each.startsWith(stem) && stem.length >= 4),
          );
      if (!key) continue;
      // Without the inactive ones there are the active ones.
      const isNegated = this.#isNegatedAt(i);
      if (key.column.kind === "boolean") frame.filters.push({ kind: "compare", ref: key, op: "=", value: isNegated });
      else frame.filters.push({ kind: "null", ref: key, isNegated });
      this.#take({ from: i, to: i + 1 });
      const mention = this.#at(i);
      if (mention) this.#use(mention);
    }
    // "Not assigned to anyone": what somebody would stand for is empty.
    for (const range of this.#all(
      "(?:not|never|n't|isn't|aren't|wasn't|weren't|hasn't|haven't)(?: been| yet)* (\\w+ed)",
    )) {
      const i = range.to - 1;
      const table = this.#subjectTable();
      const stem = this.#stem(i);
      const column = table?.columns.find(
        (each) => each.nullable && (each.isReference || each.kind === "date") && each.words.includes(stem),
      );
      if (!table || !column || this.#taken.has(i) || (this.#at(i)?.values.length ?? 0) > 0) continue;
      frame.filters.push({ kind: "null", ref: { table, column }, isNegated: false });
      this.#take(range);
      const mention = this.#at(i);
      if (mention) this.#use(mention);
    }
    // A key that is not there: "no assignee".
    for (const range of this.#all("(?:no|without(?: an| a)?|any|lacking|missing)")) {
      const i = range.to;
      if (this.#taken.has(i) || GRAMMAR.has(this.#lower(i))) continue;
      const table = this.#subjectTable();
      const column = table?.columns.find((each) => each.nullable && each.words.includes(this.#stem(i)));
      if (!table || !column || !/no|without|lacking|missing/.test(range.match[0])) continue;
      frame.filters.push({ kind: "null", ref: { table, column }, isNegated: false });
      this.#take({ from: range.from, to: i + 1 });
      const mention = this.#at(i);
      if (mention) this.#use(mention);
    }
    for (const range of this.#all(
      "(?:with|has|have|having|left|wrote|came with|contain|contains|including) (?:a|an|any|some) (\\w+)",
    )) {
      const mention = this.#linked.mentions.find((each) => each.from === range.to - 1);
      const ref =
        mention && !this.#used.has(mention)
          ? this.#pick(mention, ({ column, table }) => column.nullable && (!frame.target || table === frame.target))
          : null;
      if (!mention || !ref || ref.column.kind === "boolean" || mention.values.length > 0) continue;
      if (/^(?:of|that|which|over|above|below|under)$/.test(this.#lower(range.to)) || this.#taken.has(range.to))
        continue;
      frame.filters.push({ kind: "null", ref, isNegated: true });
      this.#use(mention);
    }
  }

  #anti(subject: Table, table: Table): void {
    this.#frame.target ??= subject;
    this.#frame.exists.push({ table, isNegated: true });
  }

  #isUnder(table: Table, above: Table | null): boolean {
    return above !== null && this.#schema.path(table, above) !== null;
  }

  #subjectTable(): Table | null {
    return this.#frame.target ?? this.#subject(null);
  }

  /** The first table that the question names. */
  #subject(other: Mention | null): Table | null {
    const mention =
      this.#linked.mentions.find(
        (each) => each !== other && this.#isTable(each) && (other === null || each.from < other.from),
      ) ?? this.#linked.mentions.find((each) => each !== other && this.#isTable(each));
    const first = this.#frame.dims.find((dim) => dim.kind === "entity");
    return (
      (mention && this.#table(mention)) ?? (first?.kind === "entity" ? first.table : null) ?? this.#focus[0] ?? null
    );
  }

  /** Parts of texts: "with 'lamp' in the name". */
  #texts(): void {
    const ways: [string, "anywhere" | "start" | "end"][] = [
      ["start with|starts with|starting with|begin with|begins with|beginning with", "start"],
      ["end with|ends with|ending with|ending in", "end"],
      [
        "contain|contains|containing|mention|mentions|mentioning|include the word|includes the word|with the word|have the word|has the word|having the word|like|matching",
        "anywhere",
      ],
    ];
    for (const range of this.#all("about|regarding|concerning|related to")) {
      const i = range.to;
      const table = this.#subjectTable();
      const column = table?.columns.find(
        ({ kind, words }) => kind === "text" && /^(titl|subject|name|summari|description)$/.test(words.at(-1) ?? ""),
      );
      const token = this.#linked.tokens[i];
      if (
        !table ||
        !column ||
        !token ||
        this.#taken.has(i) ||
        this.#at(i) ||
        GRAMMAR.has(token.lower) ||
        token.number !== null
      )
        continue;
      this.#frame.filters.push({
        kind: "contains",
        ref: { table, column },
        text: singularOf(token.lower),
        where: "anywhere",
        isNegated: false,
      });
      this.#take({ from: range.from, to: i + 1 });
    }
    for (const [source, where] of ways) {
      for (const range of this.#all(`(?:${source})(?: the)?(?: word| words| text| term| phrase| letters| letter)?`)) {
        // A quoted "The" is the text itself.
        if (this.#linked.tokens[range.to - 1]?.isQuoted) range.to--;
        const token = this.#linked.tokens[range.to];
        if (!token || (this.#taken.has(range.to) && !token.isQuoted) || (GRAMMAR.has(token.lower) && !token.isQuoted))
          continue;
        if (range.match[0] === "like" && !token.isQuoted) continue;
        const isText = ({ column }: Ref) => column.kind === "text" && !column.isReference;
        const around = [
          this.#next(range.to + 1, 3, (mention) => mention.columns.some(({ ref }) => isText(ref))),
          this.#lastBefore(range.from, (mention) => mention.columns.some(({ ref }) => isText(ref))),
        ].find((mention) => mention !== null);
        const table = this.#subjectTable();
        const named = around && this.#pick(around, isText);
        const shown = table?.columns.find(
          (column) => isText({ table, column }) && /^(name|titl|subject)$/.test(column.words.at(-1) ?? ""),
        );
        const ref = named ?? (table && shown ? { table, column: shown } : null);
        if (!ref) continue;
        const isNegated = /not|n't/.test(this.#lower(range.from - 1));
        this.#frame.filters.push({ kind: "contains", ref, text: token.raw, where, isNegated });
        if (around) this.#use(around);
        this.#take({ from: range.from, to: range.to + 1 });
        const mention = this.#at(range.to);
        if (mention) this.#used.add(mention);
        this.#frame.target ??= ref.table;
      }
    }
  }

  #values(): void {
    const frame = this.#frame;
    const [head] = this.#linked.mentions;
    // "Seniors whose home is ..." are rows, although a value names them.
    if (
      head &&
      head.values.length > 0 &&
      head.tables.length === 0 &&
      frame.target === null &&
      frame.dims.length === 0
    ) {
      const isNoun = /^(who|whose|that|which|with|without|in|at|from|whom|living)$/.test(this.#lower(head.to));
      const [hit] = head.values;
      if (isNoun && hit && frame.measures.length === 0) frame.target = hit.ref.table;
    }
    const groups = new Map<string, { ref: Ref; values: string[]; isNegated: boolean; inShare: boolean }>();
    for (const mention of this.#linked.mentions) {
      if (mention.values.length === 0 || this.#used.has(mention)) continue;
      const focusTable = frame.target ?? this.#subjectTable();
      const isDateVerb =
        mention.columns.some(({ ref }) => ref.column.kind === "date" && ref.table === focusTable) &&
        this.#linked.dates.length > 0 &&
        mention.fit >= 0.98;
      const isChoice = this.#linked.mentions.some(
        (other) =>
          other !== mention &&
          other.values.length > 0 &&
          (this.#lower(mention.to) === "or" ? other.from === mention.to + 1 : other.to === mention.from - 1) &&
          (this.#lower(mention.to) === "or" || this.#lower(mention.from - 1) === "or"),
      );
      if (isDateVerb && !isChoice && !/^(open)$/.test(this.#stem(mention.from))) continue;
      const ranked = mention.values
        .map((hit) => ({
          hit,
          rank:
            (hit.isExact ? 1 : 0.9) -
            this.#distance(hit.ref.table) * 0.12 +
            (this.#isColumnNamed(hit.ref, mention) ? 0.3 : 0),
        }))
        .sort((a, b) => b.rank - a.rank);
      const best = ranked[0]?.hit;
      if (!best) continue;
      // "Refunded" may be a state of orders, or a table of its own: the nearer one.
      if (mention.tables.length > 0 && this.#isTable(mention) && mention.fit >= 0.98) continue;
      const also = ranked
        .filter(({ hit }) => hit.ref.column === best.ref.column && hit.isExact === best.isExact)
        .map(({ hit }) => hit.value);
      this.#use(mention);
      const isNegated = this.#isNegatedAt(mention.from);
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

  /** Whether the column's name stands beside its value. */
  #isColumnNamed({ column }: Ref, mention: Mention): boolean {
    const near = this.#linked.tokens.slice(Math.max(0, mention.from - 2), mention.to + 2);
    return near.some(({ stem }) => column.words.includes(stem));
  }

  #isNegatedAt(from: number): boolean {
    for (let i = from - 1; i >= Math.max(0, from - 6); i--) {
      const word = this.#lower(i);
      if (
        /^(not|except|excluding|nor|neither|non|isn't|aren't|wasn't|weren't|besides|without|exclude|ignoring|ignore|outside|never|don't|doesn't|didn't)$/.test(
          word,
        )
      )
        return true;
      if (word === "than" && this.#lower(i - 1) === "other") return true;
      if (/^(who|which|but|that|how|what)$/.test(word)) return false;
      if (word === "no") return true;
      if (!GRAMMAR.has(word) && !/^(,|receive|get|want)$/.test(word) && !(this.#at(i)?.values.length ?? 0))
        return false;
    }
    return false;
  }

  /** Who owes has not paid, and what was collected is paid. */
  #debts(): void {
    const frame = this.#frame;
    const owed = this.#first("owe|owes|owed|owing|outstanding|overdue and unpaid");
    const range = owed ?? this.#first("collect|collected|settled");
    if (!range || this.#taken.has(range.from)) return;
    const asks = [...frame.measures, ...frame.having.map(({ measure }) => measure)];
    const tables = [frame.target, ...asks.flatMap(({ table, refs }) => [table, ...refs.map(({ ref }) => ref.table)])];
    for (const table of tables) {
      const column = table?.columns.find(({ kind, words }) => kind === "boolean" && words.includes("paid"));
      if (!table || !column) continue;
      frame.filters.push({ kind: "compare", ref: { table, column }, op: "=", value: owed === null });
      this.#take(range);
      return;
    }
  }

  #booleans(): void {
    this.#debts();
    const frame = this.#frame;
    for (const mention of this.#linked.mentions) {
      if (this.#used.has(mention) || this.#isTable(mention)) continue;
      const subject = this.#subjectTable();
      const ref = this.#pick(mention, ({ column }) => column.kind === "boolean");
      if (!ref || (subject && this.#schema.path(subject, ref.table) === null)) continue;
      const isNegated = this.#isNegatedAt(mention.from);
      frame.filters.push({ kind: "compare", ref, op: "=", value: !isNegated });
      this.#use(mention);
    }
  }

  #dates(): void {
    const frame = this.#frame;
    for (const later of this.#laterFilters) frame.filters.push(...later());
    for (const bounds of this.#laterComparisons) this.#bareComparison(bounds);
    for (const date of this.#linked.dates) {
      if (this.#isTakenYear(date)) continue;
      this.#take({ from: date.fromToken, to: date.toToken });
      const verb = this.#dateColumn(date);
      const isNegated = this.#isNegatedAt(date.fromToken) && !date.isOpen;
      frame.dates.push({ start: date.start, end: date.end, ref: verb, isNegated } satisfies DateAsk);
    }
    // Dates that only say what happened: "how many were returned".
    for (const mention of this.#linked.mentions) {
      if (this.#used.has(mention) || this.#isTable(mention)) continue;
      const ref = this.#pick(mention, ({ column }) => column.kind === "date");
      const subject = this.#subjectTable();
      if (!ref) continue;
      for (const dim of frame.dims)
        if (dim.kind === "time" && dim.ref === null && (!subject || ref.table === subject)) dim.ref = ref;
      this.#take(mention);
      if (
        ref.table === subject &&
        ref.column.nullable &&
        frame.dates.length === 0 &&
        frame.dims.every(({ kind }) => kind !== "time")
      ) {
        frame.filters.push({ kind: "null", ref, isNegated: true });
        this.#used.add(mention);
      } else if (subject && ref.table !== subject && this.#schema.isAbove(ref.table, subject)) {
        this.#used.add(mention);
        this.#addEvent(ref.table, mention);
      }
    }
    const [event] = this.#events;
    const [measure] = frame.measures;
    // "How many books were borrowed" counts loans.
    // "Were borrowed" tells of the loans, "have borrowed" of those who did.
    const isRelative = !this.#isPassive && frame.dims.length === 0;
    if (
      event &&
      measure?.fn === "count" &&
      measure.table &&
      !measure.isDistinct &&
      frame.exists.length === 0 &&
      !isRelative
    )
      measure.table = event;
  }

  readonly #events: Table[] = [];
  #isPassive = false;

  /** Notes that something of another table has happened to what is counted, or was done by it. */
  #addEvent(table: Table, mention: Mention): void {
    this.#events.push(table);
    const before = this.#wordsBetween(Math.max(0, mention.from - 3), mention.from);
    this.#isPassive ||= before.some((word) => /^(was|were|is|are|been|be|being|got|get)$/.test(word));
  }

  #isTakenYear({ isBareYear, fromToken, toToken }: FoundDate): boolean {
    if (!isBareYear) return false;
    for (let i = fromToken; i < toToken; i++) if (this.#taken.has(i)) return true;
    return false;
  }

  #bareComparison(bounds: ["<" | "<=" | ">" | ">=" | "=", number][]): void {
    const table = this.#subjectTable();
    const column = table && mainMeasure(table);
    if (table && column)
      for (const [op, value] of bounds)
        this.#frame.filters.push({ kind: "compare", ref: { table, column }, op, value });
  }

  /** The date that the words around a span speak of. */
  #dateColumn(date: FoundDate): Ref | null {
    const near = this.#linked.mentions
      .filter((mention) => mention.columns.some(({ ref }) => ref.column.kind === "date" || ref.column.isYear))
      .map((mention) => ({
        mention,
        gap: mention.to <= date.fromToken ? date.fromToken - mention.to : mention.from - date.toToken + 2,
      }))
      .filter(({ gap }) => gap >= 0 && gap <= 8)
      .sort((a, b) => a.gap - b.gap);
    for (const { mention } of near) {
      // A word that is a state is no time.
      if (this.#used.has(mention) && mention.values.length > 0) continue;
      const subjectOf = this.#subjectTable();
      const isSure = ({ table, column }: Ref) =>
        table === subjectOf || mention.columns.some(({ ref, fit }) => ref.column === column && fit >= 0.9);
      const ref = this.#pick(mention, (each) => (each.column.kind === "date" || each.column.isYear) && isSure(each));
      if (!ref) continue;
      if (!this.#isTable(mention)) {
        if (!this.#used.has(mention)) this.#use(mention);
        const subject = this.#subjectTable();
        if (subject && ref.table !== subject && this.#schema.isAbove(ref.table, subject))
          this.#addEvent(ref.table, mention);
        // "Solved per month" counts by the day of solving.
        for (const dim of this.#frame.dims) {
          if (dim.kind === "time" && dim.ref === null && ref.table === subject && ref.column.kind === "date")
            dim.ref = ref;
        }
        return ref;
      }
    }
    return null;
  }

  #finish(): void {
    const frame = this.#frame;
    // Numbers beside a column: "ratings of 1 or 2".
    this.#looseNumbers();
    const isYes = this.#frame.share !== null && frame.dims.length === 0;
    if (isYes && frame.share) this.#splitShare();
    for (const mention of this.#linked.mentions) {
      if (this.#used.has(mention)) continue;
      if (this.#isTable(mention)) {
        const table = this.#table(mention);
        if (!frame.target && table) frame.target = table;
        else if (table && table !== frame.target && frame.measures.length === 0 && frame.dims.length === 0)
          this.#also(table, mention);
        this.#take(mention);
      } else if (mention.columns.length > 0) {
        const ref = this.#pick(mention);
        if (ref && frame.measures.length === 0) frame.shown.push(ref);
        this.#take(mention);
      }
    }
    if (!frame.target && frame.shown[0] && frame.measures.length === 0 && frame.dims.length === 0)
      frame.target = frame.shown[0].table;
    const named = this.#linked.mentions
      .filter((mention) => !this.#used.has(mention))
      .map((mention) => this.#table(mention));
    const [counting] = frame.measures;
    // "Lent out the most books" counts what is lent.
    if (counting?.fn === "count" && counting.table && frame.dims.length > 0 && frame.order) {
      const counted = counting.table;
      const between = named.find(
        (table) =>
          table !== null &&
          table !== counted &&
          this.#schema.isAbove(table, counted) &&
          frame.dims.every((dim) => dim.kind !== "entity" || this.#schema.isAbove(table, dim.table)),
      );
      if (between) counting.table = between;
    }
    const isListing =
      frame.measures.length === 0 &&
      frame.dims.length === 0 &&
      frame.order === null &&
      !frame.share &&
      frame.having.length === 0;
    const [only] = frame.shown;
    if (
      isListing &&
      only &&
      frame.shown.length === 1 &&
      frame.filters.length === 0 &&
      only.column.kind === "text" &&
      frame.exists.length === 0
    ) {
      const isNamed = /^(name|titl|subject)$/.test(only.column.words.at(-1) ?? "") && only.table === frame.target;
      if (!isNamed || this.#has("distinct|different|unique")) frame.isDistinctList = true;
    }
  }

  /** Another table in a list: "companies with at least 20 tickets and how many". */
  #also(table: Table, _mention: Mention): void {
    if (this.#frame.target && this.#schema.isAbove(table, this.#frame.target) && this.#frame.exists.length === 0) {
      if (this.#has("with|have|has|having|that have")) this.#frame.exists.push({ table, isNegated: false });
    }
  }

  #looseNumbers(): void {
    const frame = this.#frame;
    const byRef = new Map<string, { ref: Ref; values: number[] }>();
    let last: Ref | null = null;
    for (const [i, token] of this.#linked.tokens.entries()) {
      if (token.number === null || this.#taken.has(i) || this.#isDateToken(i)) continue;
      const before = this.#wordsBetween(Math.max(0, i - 3), i);
      if (!before.some((word) => /^(of|with|=|is|score|rated|rating|equal|or|and|at|to|exactly)$/.test(word))) continue;
      const named = this.#linked.mentions.filter((mention) => mention.to <= i && i - mention.to <= 4).at(-1);
      const table = named && this.#isTable(named) ? this.#table(named) : null;
      const column = table && mainMeasure(table);
      const ref: Ref | null =
        (named && !this.#isTable(named) ? this.#pick(named, isAmount) : null) ??
        (table && column ? { table, column } : null) ??
        last;
      if (!ref) continue;
      last = ref;
      const key = `${ref.table.id} ${ref.column.name}`;
      const group = byRef.get(key) ?? { ref, values: [] };
      group.values.push(token.number);
      byRef.set(key, group);
      this.#take({ from: i, to: i + 1 });
      if (named && !this.#isTable(named)) this.#use(named);
    }
    for (const { ref, values } of byRef.values()) frame.filters.push({ kind: "in", ref, values, isNegated: false });
  }

  /** Of "what percentage of enterprise customers in Germany get the newsletter", the last condition is asked for. */
  #splitShare(): void {
    const frame = this.#frame;
    const filters = frame.filters;
    if (filters.length === 0 && frame.exists.length === 0) return;
    if (filters.length > 0) {
      const wanted = filters.pop() as Predicate;
      frame.share = { where: [wanted] };
    }
    frame.measures = [];
  }

  /** Words that nothing has taken and that are no grammar. */
  #leftOver(): string[] {
    return this.#linked.tokens
      .filter(
        (token, i) =>
          !this.#taken.has(i) && !GRAMMAR.has(token.lower) && /[\p{L}]/u.test(token.lower) && !this.#isDateToken(i),
      )
      .map(({ raw }) => raw);
  }
}

function tableOf(dim: DimAsk): Table | null {
  return dim.kind === "entity" ? dim.table : (dim.ref?.table ?? null);
}

function isAmount({ column }: Ref): boolean {
  return column.kind === "number" && !column.isReference;
}

function sameMeasure(a: MeasureAsk, b: MeasureAsk): boolean {
  return a.fn === b.fn && a.table === b.table && a.refs[0]?.ref.column === b.refs[0]?.ref.column;
}

function toNumber(text: string | undefined): number {
  const words: Record<string, number> = { two: 2, three: 3, four: 4, five: 5, six: 6, seven: 7, eight: 8, nine: 9, ten: 10, twelve: 12, fifteen: 15, twenty: 20, fifty: 50, hundred: 100, thousand: 1000 }; // biome-ignore format: short
  const plain = (text ?? "").replaceAll(/[$€£,]/g, "").replace(/\.$/, "");
  if (Object.hasOwn(words, plain)) return words[plain] ?? 0;
  const scale = plain.endsWith("k") ? 1000 : plain.endsWith("m") ? 1_000_000 : 1;
  const number = Number.parseFloat(plain) * scale;
  return Number.isFinite(number) ? number : 0;
}
