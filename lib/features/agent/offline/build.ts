import type { DateSpan } from "./dates";
import { countOf, type DimAsk, type Frame, type MeasureAsk } from "./frame";
import {
  addOutput,
  emptyPlan,
  figureAlias,
  freeAlias,
  type Measure,
  type Output,
  outputsOf,
  type Plan,
  type Predicate,
  type Ref,
  ROWS_MAX,
  tableAlias,
} from "./plan";
import { displayColumns, eventDate, mainMeasure, type Schema, type Step, type Table } from "./schema";

/** A plan, or the reason why there is none. */
export type Built = { plan: Plan; notes: string[] } | { problem: string };

/** Chooses the counted rows and the joins to the other tables. */
export function build(frame: Frame, schema: Schema): Built {
  return new Builder(frame, schema).build();
}

class Builder {
  readonly #frame: Frame;
  readonly #schema: Schema;
  readonly #notes: string[] = [];
  readonly #joins: Step[] = [];
  #from: Table | null = null;
  /** The error message, if planning failed. */
  #problem: string | null = null;

  constructor(frame: Frame, schema: Schema) {
    this.#frame = frame;
    this.#schema = schema;
  }

  build(): Built {
    const frame = this.#frame;
    const isAggregate =
      frame.measures.length > 0 || frame.dims.length > 0 || frame.having.length > 0 || frame.share !== null;
    const plan = isAggregate ? this.#aggregate() : this.#rows();
    if (this.#problem !== null || plan === null) {
      return { problem: this.#problem ?? "I couldn't tell which table you mean." };
    }
    return { plan, notes: this.#notes };
  }

  // --- lists of rows --------------------------------------------------------------------------------------------

  #rows(): Plan | null {
    const frame = this.#frame;
    const from = frame.target ?? frame.shown[0]?.table ?? frame.filters.flatMap(refsOf)[0]?.table ?? null;
    if (!from) return null;
    this.#from = from;
    const where = this.#where();
    const shown = frame.shown.filter(({ table }) => table === from || this.#join(table));
    if (frame.isDistinctList && shown[0]) {
      const [ref] = shown;
      const outputs: Output[] = [{ alias: ref.column.name, kind: "column", ref }];
      return {
        ...emptyPlan(from),
        where,
        joins: this.#joins,
        outputs,
        isDistinct: true,
        order: [{ alias: ref.column.name, isDescending: false }],
        limit: frame.limit ?? ROWS_MAX,
      };
    }
    const order = frame.order?.ref ?? null;
    if (order) {
      where.push({ kind: "null", ref: order, isNegated: true });
      if (order.table !== from) this.#join(order.table);
    }
    const columns = [
      ...displayColumns(from).map((column): Ref => ({ table: from, column })),
      ...shown,
      ...frame.filters.flatMap(refsOf).filter(({ table, column }) => table === from && column.kind !== "boolean"),
      ...(order ? [order] : []),
    ];
    const few = columns.length <= 1 ? this.#telling(from) : [];
    const key = from.columns.filter(({ isKey }) => isKey).map((column): Ref => ({ table: from, column }));
    const outputs = outputsOf([...(key.length === 1 ? key : []), ...columns, ...few]);
    return {
      ...emptyPlan(from),
      where,
      joins: this.#joins,
      outputs,
      order: order ? [{ alias: addOutput(outputs, order), isDescending: frame.order?.isDescending ?? false }] : [],
      limit: frame.limit ?? ROWS_MAX,
    };
  }

  /** Returns a few more columns that describe the row. */
  #telling(table: Table): Ref[] {
    const date = eventDate(table);
    const amount = mainMeasure(table);
    const kinds = table.columns.filter(({ kind, isReference }) => kind === "text" && !isReference).slice(0, 3);
    return [...kinds, ...(amount ? [amount] : []), ...(date ? [date] : [])]
      .slice(0, 4)
      .map((column) => ({ table, column }));
  }

  // --- figures --------------------------------------------------------------------------------------------------

  #aggregate(): Plan | null {
    const frame = this.#frame;
    const dims = [...frame.dims];
    const asks = [...frame.measures];
    const having = [...frame.having];
    // "Customers with more than five orders" are told apart by themselves.
    if (
      having.length > 0 &&
      dims.length === 0 &&
      frame.target &&
      asks.every(({ fn, table }) => fn !== "count" || table !== frame.target)
    ) {
      dims.push({ kind: "entity", table: frame.target });
    }
    // "And how many they have" is what is compared.
    const loose = asks.find(({ fn, table, refs }) => fn === "count" && table === null && refs.length === 0);
    if (loose && having[0]) asks.splice(asks.indexOf(loose), 1, having[0].measure);
    const isCount = asks.some(({ fn, table }) => fn === "count" && table !== null && table === frame.target);
    const counted = having.length > 0 && dims.length === 0 && isCount;
    if (counted && frame.target) {
      dims.push({ kind: "entity", table: frame.target });
      asks.length = 0;
    }
    // "Companies with at least 20 tickets and how many" counts what it compares.
    for (const { measure } of having)
      if (
        !asks.some(
          (ask) =>
            ask.fn === measure.fn &&
            (ask.table === measure.table || ask.table === null) &&
            ask.refs[0]?.ref.column === measure.refs[0]?.ref.column,
        )
      )
        asks.push(measure);
    // A monthly salary is already a value for each month.
    const isPeriodic = (grain: string) =>
      asks.some(({ refs }) =>
        refs[0]?.ref.column.words.some((word) => word.startsWith(grain.slice(0, 4)) && word !== grain),
      );
    for (const dim of dims.filter((each) => each.kind === "time" && each.ref === null)) {
      if (dim.kind === "time" && isPeriodic(dim.grain)) dims.splice(dims.indexOf(dim), 1);
    }
    const dimTables = unique(
      dims.flatMap((dim) => (dim.kind === "entity" ? [dim.table] : dim.ref ? [dim.ref.table] : [])),
    );
    if (asks.length === 0 && frame.share === null) {
      const [unknown] = frame.ignored;
      // "Profit by category" asks for no number of rows.
      if (unknown !== undefined && !frame.target) this.#problem = `I don't know “${unknown}” here.`;
      asks.push(this.#implicitCount(dimTables));
    }
    const from = this.#chooseFrom(asks, dims, dimTables);
    if (!from) return null;
    this.#from = from;
    const outputs: Output[] = [];
    const hiddenKeys: Ref[] = [];
    for (const dim of dims) this.#addDim(dim, outputs, hiddenKeys);
    const measures: Measure[] = [];
    for (const ask of asks) measures.push(this.#measure(ask, from, dimTables, measures.length));
    const where = this.#where();
    if (frame.share) {
      const share = this.#share(measures, from);
      measures.push(share);
    }
    if (this.#problem !== null) return null;
    const first = outputs[0];
    const lead = measures[0];
    const isTime = outputs.some(({ kind }) => kind === "time");
    const order =
      frame.order && lead
        ? [
            { alias: lead.alias, isDescending: frame.order.isDescending },
            ...(first ? [{ alias: first.alias, isDescending: false }] : []),
          ]
        : first && lead
          ? isTime
            ? outputs.filter(({ kind }) => kind === "time").map(({ alias }) => ({ alias, isDescending: false }))
            : [{ alias: lead.alias, isDescending: true }, { alias: first.alias, isDescending: false }] // biome-ignore format: short
          : [];
    return {
      ...emptyPlan(from),
      joins: this.#joins,
      where,
      hiddenKeys,
      outputs,
      measures,
      having: having.map(({ measure, op, value }) => {
        const place = asks.findIndex(
          (ask) =>
            ask === measure ||
            (ask.fn === measure.fn &&
              (measure.table === null || ask.table === measure.table || ask.table === null) &&
              ask.refs[0]?.ref.column === measure.refs[0]?.ref.column),
        );
        return { measure: Math.max(0, place), op, value };
      }),
      order,
      limit: outputs.length > 0 ? (frame.limit ?? ROWS_MAX) : null,
      countedAs: counted && frame.target ? `${tableAlias(frame.target)}_count` : null,
    };
  }

  /** "Orders per month" counts orders; "the most used tags" counts what refers to tags. */
  #implicitCount(dimTables: readonly Table[]): MeasureAsk {
    const frame = this.#frame;
    const [dim] = frame.dims;
    let table = frame.target;
    if (!table && dim?.kind === "entity" && frame.dims.length === 1 && dimTables[0]) {
      const below = this.#schema.edges
        .filter(({ from, to }) => to === dimTables[0] && !from.isView)
        .map(({ from }) => from);
      table =
        below.find((each) => each.words.join(" ").includes(dimTables[0]?.words.join(" ") ?? " ")) ?? below[0] ?? null;
    }
    table ??= dimTables[0] ?? frame.filters.flatMap(refsOf)[0]?.table ?? null;
    return countOf(table);
  }

  /**
   * Chooses the table whose rows are counted or summed. Every other one has to be above it, so that no row counts
   * twice.
   */
  #chooseFrom(asks: MeasureAsk[], dims: readonly DimAsk[], dimTables: readonly Table[]): Table | null {
    const frame = this.#frame;
    const needed = [...dimTables];
    const [ask] = asks;
    if (ask && ask.refs.length > 0) {
      const filterTables = unique(frame.filters.flatMap(refsOf).map(({ table }) => table));
      const dateTables = unique(frame.dates.flatMap(({ ref }) => (ref ? [ref.table] : [])));
      const scored = ask.refs.map((option) => {
        const { table } = option.ref;
        const isAbove = (other: Table) => this.#schema.isAbove(table, other);
        const out = needed.filter((other) => !isAbove(other)).length;
        const others = [...filterTables, ...dateTables];
        const outFilters = others.filter((other) => !isAbove(other)).length;
        // "Revenue from Germany" is of rows that have a country.
        const isApart = others.some((other) => this.#schema.path(table, other, frame.hints) === null);
        const isTimed =
          (frame.dates.some(({ ref }) => ref === null) ||
            dims.some((dim) => dim.kind === "time" && dim.ref === null)) &&
          !this.#timeOf(table);
        const steps = [...needed, ...(frame.target ? [frame.target] : [])].reduce(
          (sum, other) => sum + (this.#schema.path(table, other, frame.hints)?.length ?? 9),
          0,
        );
        const own = frame.target === table ? 0.2 : 0;
        return {
          option,
          score: option.fit + own - out * 2 - outFilters * 0.4 - (isTimed ? 1 : 0) - (isApart ? 2 : 0) - steps * 0.06,
        };
      });
      scored.sort((a, b) => b.score - a.score);
      const best = scored[0]?.option;
      if (best) {
        ask.refs = [best];
        // The question's other numbers use the same rows if possible.
        for (const other of asks.slice(1)) {
          const same = other.refs.find(({ ref }) => ref.table === best.ref.table);
          if (same) other.refs = [same];
        }
        return best.ref.table;
      }
    }
    const table = ask?.table ?? frame.target ?? dimTables[0] ?? frame.filters.flatMap(refsOf)[0]?.table ?? null;
    if (!table) return null;
    if (ask && ask.table === null) ask.table = table;
    if (ask?.per && !needed.includes(ask.per)) needed.push(ask.per);
    const timed =
      frame.dates.some(({ ref }) => ref === null) || dims.some((dim) => dim.kind === "time" && dim.ref === null);
    const eventTables = frame.dates.flatMap(({ ref }) => (ref ? [ref.table] : []));
    for (const event of eventTables)
      if (!needed.includes(event) && !this.#schema.isAbove(table, event)) needed.push(event);
    for (const other of asks.slice(1)) if (other.table && !needed.includes(other.table)) needed.push(other.table);
    const isRight = (root: Table) =>
      needed.every((other) => this.#schema.isAbove(root, other)) &&
      this.#schema.isAbove(root, table) &&
      (!timed || this.#timeOf(root) !== null);
    if (isRight(table)) return table;
    // A table below all of them: ticket_tags joins tickets and tags.
    const length = (root: Table) =>
      [table, ...needed].reduce((sum, other) => sum + (this.#schema.path(root, other, frame.hints)?.length ?? 9), 0);
    const below = this.#schema.tables.filter(isRight).sort((a, b) => length(a) - length(b))[0];
    if (below) return below;
    return table;
  }

  /** Returns the time that the question filters by, if it is one: "closed last quarter, and by month?". */
  #askedTime(from: Table): Ref | null {
    const refs = this.#frame.dates.flatMap(({ ref }) => ref ?? []);
    const [only] = refs;
    const isOne = refs.every(({ table, column }) => table === only?.table && column === only.column);
    return only && isOne && only.column.kind === "date" && this.#schema.isAbove(from, only.table) ? only : null;
  }

  #timeOf(table: Table): Ref | null {
    const own = eventDate(table);
    if (own) return { table, column: own };
    for (const edge of this.#schema.edges) {
      if (edge.from !== table) continue;
      const date = eventDate(edge.to);
      // The parent row has the time: items of an order, but not the copies of a member's loans.
      if (date?.words.some((word) => ["plac", "creat", "order", "borrow", "date", "issu", "purchas"].includes(word)))
        return { table: edge.to, column: date };
    }
    return null;
  }

  #addDim(dim: DimAsk, outputs: Output[], hiddenKeys: Ref[]): void {
    const from = this.#from as Table;
    if (dim.kind === "entity") {
      if (!this.#join(dim.table)) return;
      const keys = dim.table.columns.filter(({ isKey }) => isKey);
      hiddenKeys.push(...keys.map((column): Ref => ({ table: dim.table, column })));
      for (const column of displayColumns(dim.table)) addOutput(outputs, { table: dim.table, column });
      return;
    }
    const ref = dim.kind === "column" ? dim.ref : (dim.ref ?? this.#askedTime(from) ?? this.#timeOf(from));
    if (!ref) {
      this.#problem = `Table ${from.name} has no date column for this.`;
      return;
    }
    if (!this.#join(ref.table)) return;
    if (dim.kind === "column") addOutput(outputs, ref);
    else outputs.push({ alias: freeAlias(dim.grain, outputs), kind: "time", ref, grain: dim.grain });
  }

  #measure(ask: MeasureAsk, from: Table, dimTables: readonly Table[], place: number): Measure {
    const alias = (name: string) => (place === 0 ? name : `${name}_${place + 1}`);
    if (ask.fn === "count") {
      const [distinct] = ask.refs;
      if (distinct) {
        this.#join(distinct.ref.table);
        return { alias: alias(`${distinct.ref.column.name}_count`), fn: "countDistinct", ref: distinct.ref };
      }
      const table = ask.table ?? from;
      if (ask.per) {
        const key = this.#keyOf(ask.per);
        if (key && this.#join(ask.per))
          return { alias: alias(`${tableAlias(table)}_per_${tableAlias(ask.per, true)}`), fn: "ratio", of: key };
      }
      if (table !== from && (ask.isDistinct || !dimTables.includes(table) || this.#frame.dims.length > 1)) {
        const key = this.#keyOf(table);
        if (key && this.#join(table))
          return { alias: alias(`${tableAlias(table)}_count`), fn: "countDistinct", ref: key };
      }
      return { alias: alias(`${tableAlias(table)}_count`), fn: "count" };
    }
    const option = ask.refs[0];
    if (!option) return { alias: alias("count"), fn: "count" };
    this.#join(option.ref.table);
    if (!this.#schema.isAbove(from, option.ref.table))
      this.#problem = `Rows of ${option.ref.table.name} would be counted more than once.`;
    if (option.ref.table !== from && ask.fn !== "min" && ask.fn !== "max")
      this.#notes.push(`Each row of ${from.name} is counted with its rows in ${option.ref.table.name}.`);
    return {
      alias: alias(figureAlias(ask.fn, option.ref, option.times)),
      fn: ask.fn,
      ref: option.ref,
      ...(option.times && { times: option.times }),
    };
  }

  #share(measures: Measure[], from: Table): Measure {
    const share = this.#frame.share;
    const amount = measures.find((measure) => measure.fn === "sum");
    const of = amount?.fn === "sum" ? { ref: amount.ref, times: amount.times } : undefined;
    if (share?.where) {
      const wanted = share.where.filter((predicate) => this.#reach(predicate, from));
      return { alias: "percent", fn: "share", where: wanted, ...(of && { of }) };
    }
    return { alias: "percent", fn: "share", where: null, ...(of && { of }) };
  }

  // --- conditions -----------------------------------------------------------------------------------------------

  #where(): Predicate[] {
    const frame = this.#frame;
    const from = this.#from as Table;
    const where: Predicate[] = [];
    const isShared = (predicate: Predicate) => frame.share?.where?.includes(predicate) ?? false;
    const below = new Map<Table, Predicate[]>();
    for (const predicate of frame.filters) {
      if (isShared(predicate)) continue;
      if (this.#reach(predicate, from)) where.push(predicate);
      else {
        const [ref] = refsOf(predicate);
        if (ref) below.set(ref.table, [...(below.get(ref.table) ?? []), predicate]);
      }
    }
    for (const { start, end, ref, isNegated } of frame.dates) {
      const anti = frame.exists.find((each) => each.isNegated);
      const column = ref ?? (anti && dateOf(anti.table)) ?? this.#timeOf(from) ?? this.#yearOf(from);
      if (!column) {
        this.#problem = `Table ${from.name} has no date column, so I can't filter by time.`;
        continue;
      }
      // "2025 or 2024", "2025 versus 2024": no row is in both.
      const last = where.find((each) => each.kind === "span" && each.ref.column === column.column);
      if ((start && end && start >= end) || (last?.kind === "span" && isApart(last, { start, end })))
        this.#problem = "I can't combine these times. Ask for one of them, or for groups by month or year.";
      const predicate: Predicate = { kind: "span", ref: column, start, end, isNegated };
      if (this.#reach(predicate, from)) where.push(predicate);
      else below.set(column.table, [...(below.get(column.table) ?? []), predicate]);
    }
    for (const { table, isNegated } of frame.exists) {
      const steps = this.#schema.path(from, table, frame.hints);
      if (!steps) {
        this.#problem = `I can't join ${from.name} with ${table.name}.`;
        continue;
      }
      if (steps.length === 0) continue;
      const inner = below.get(table) ?? [];
      below.delete(table);
      where.push({ kind: "exists", table, steps: this.#outer(steps), where: inner, isNegated });
    }
    for (const [table, predicates] of below) {
      const steps = this.#schema.path(from, table, frame.hints);
      if (!steps) {
        this.#problem = `I can't join ${from.name} with ${table.name}.`;
        continue;
      }
      // "Not tagged billing" is about all of a ticket's tags.
      const isNegated = predicates.every((each) => "isNegated" in each && each.isNegated && each.kind !== "null");
      const inner = isNegated ? predicates.map((each) => ({ ...each, isNegated: false }) as Predicate) : predicates;
      where.push({ kind: "exists", table, steps: this.#outer(steps), where: inner, isNegated });
    }
    return where;
  }

  #yearOf(table: Table): Ref | null {
    const column = table.columns.find(({ isYear }) => isYear);
    return column ? { table, column } : null;
  }

  /** Joins the leading steps that go up. Returns the remaining steps, for the inner query. */
  #outer(steps: readonly Step[]): Step[] {
    const at = steps.findIndex(({ isUp }) => !isUp);
    const up = at < 0 ? [] : steps.slice(0, at);
    for (const step of up) this.#add(step);
    return at < 0 ? [...steps] : steps.slice(at);
  }

  /** Whether the condition is about the rows themselves or about rows above them; then it is joined. */
  #reach(predicate: Predicate, from: Table): boolean {
    return refsOf(predicate).every(({ table }) => {
      if (table === from || this.#joins.some((step) => step.table === table)) return true;
      return this.#schema.path(from, table, this.#frame.hints)?.every(({ isUp }) => isUp) ? this.#join(table) : false;
    });
  }

  #join(table: Table): boolean {
    const from = this.#from as Table;
    const steps = this.#schema.path(from, table, this.#frame.hints);
    if (!steps) {
      this.#problem = `I can't join ${from.name} with ${table.name}.`;
      return false;
    }
    for (const step of steps) this.#add(step);
    return true;
  }

  #add(step: Step): void {
    if (step.table !== this.#from && !this.#joins.some((each) => each.table === step.table)) this.#joins.push(step);
  }

  #keyOf(table: Table): Ref | null {
    const keys = table.columns.filter(({ isKey }) => isKey);
    const column = keys.length === 1 ? keys[0] : table.columns.find(({ name }) => name === "id" || name === "_id");
    if (!column) return null;
    // The referencing row contains the key, which saves a join.
    const step = this.#schema.edges.find(
      (edge) => edge.from === this.#from && edge.to === table && edge.toColumns[0] === column.name,
    );
    const own = step?.from.columns.find(({ name }) => name === step.fromColumns[0]);
    const isJoined = this.#joins.some((each) => each.table === table);
    return step && own && !isJoined ? { table: step.from, column: own } : { table, column };
  }
}

function isApart(a: DateSpan, b: DateSpan): boolean {
  const isBefore = (one: DateSpan, other: DateSpan) =>
    one.end !== null && other.start !== null && one.end <= other.start;
  return isBefore(a, b) || isBefore(b, a);
}

function dateOf(table: Table): Ref | null {
  const column = eventDate(table);
  return column ? { table, column } : null;
}

export function refsOf(predicate: Predicate): Ref[] {
  return predicate.kind === "exists" ? predicate.where.flatMap(refsOf) : [predicate.ref];
}

function unique<T>(list: readonly T[]): T[] {
  return [...new Set(list)];
}

/** Returns a table's name for a sentence. */
export function words(table: Table): string {
  return table.name.replaceAll(/[_-]+/g, " ");
}
