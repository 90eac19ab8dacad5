import { CHART_KINDS } from "@/lib/base/charts/settings";
import { ANY_FIELD, type ExpressionUse, readExpression, refuseFormat } from "@/lib/base/charts/spec-expression";
import { COMPUTED } from "@/lib/base/charts/widget-picture";

/*
 * The subset of Vega-Lite that a chart may use. Rows of a result are bounded, and so is everything that these rules
 * admit: all that multiplies rows, values, ticks, bins or views has a limit, so that no chart stops the browser or the
 * drawing process.
 */

export type SpecProblem = { path: string; message: string };
type Row = Readonly<Record<string, unknown>>;
type Record_ = Readonly<Record<string, unknown>>;

/** Maximum number of ticks, bins, steps of a curve and imputed keys: beyond it a chart is a solid area. */
const COUNT_MAX = 1_000;
/** Each view has separate axes. */
const VIEWS_MAX = 50;
const FACETS_MAX = 100;
const DEPTH_MAX = 24;
/** Limit for all expressions of a chart: more is a program. */
const EXPRESSION_CHARS_MAX = 10_000;
/** Limit for all expressions of a dashboard: parsing them blocks the event loop for up to 20 ms. */
const DASHBOARD_EXPRESSION_CHARS_MAX = 40_000;
const TEXT_CHARS_MAX = 2_000;
const TRANSFORMS_MAX = 50;
/** Factor by which computed values may be longer than those of the rows. */
const GROWTH_MAX = 1_000;
/** Factor by which folds may multiply the rows. */
const FOLDS_MAX = 50;
/** Maximum number of rows that a transform creates from groups and keys: four times those of the largest widget. */
const MADE_ROWS_MAX = 200_000;
/** Maximum number of marks, or of their source rows, in all views together. */
const DRAWN_ROWS_MAX = 1_000_000;
/** Limits of a logarithm's base; its ticks are the multiples of the base's powers. */
const BASE = { min: 1.5, max: 100 };
/** Minimum length of a dash: a shorter one is invisible, and a line has millions of them. */
const DASH_PX_MIN = 0.5;
/**
 * Maximum number of columns that are counted in all rows before a picture is drawn: 20 of 50,000 rows block the event
 * loop for 0.2 s.
 */
const READ_COLUMNS_MAX = 20;
const PROBLEMS_MAX = 10;

const words = (text: string) => new Set(text.split(/\s+/));
const MARKS = words(`arc area bar boxplot circle errorband errorbar geoshape line point rect rule square text tick trail
  ${CHART_KINDS.join(" ")}`);
const TYPES = words("quantitative ordinal temporal nominal geojson");
const SCALES =
  words(`linear log pow sqrt symlog identity sequential time utc quantile quantize threshold bin-ordinal ordinal
  point band`);
const TRANSFORMS = words(`aggregate bin calculate density filter flatten fold impute joinaggregate loess pivot quantile
  regression sample stack timeUnit window extent`);
const AGGREGATES =
  words(`argmax argmin average count distinct max mean median min missing product q1 q3 ci0 ci1 stderr stdev
  stdevp sum valid values variance variancep exponential exponentialb`);
const TIME_UNIT =
  /^(?:utc|local|binned|binnedutc)?(?:year|quarter|month|week|day|dayofyear|date|hours|minutes|seconds|milliseconds)+$/;
const BIN_KEYS = words("anchor base binned divide extent maxbins minstep nice step steps");
/** Intervals between ticks, in milliseconds; the minimum for those of calendars. */
const TICK_INTERVALS: Readonly<Record<string, number>> = {
  millisecond: 1,
  second: 1_000,
  minute: 60_000,
  hour: 3_600_000,
  day: 23 * 3_600_000,
  week: 7 * 23 * 3_600_000,
  month: 28 * 86_400_000,
  quarter: 90 * 86_400_000,
  year: 365 * 86_400_000,
};
/** Maximum number of ticks and bins that the rows decide: 27 years by day, 14 months by hour. */
const STEPS_MAX = 10_000;
/** Maximum number of intervals that are counted to place ticks at every nth, which takes up to 0.2 s. */
const COUNTED_INTERVALS_MAX = 200_000;
const LAYOUTS = ["layer", "hconcat", "vconcat", "concat"] as const;
const EXPRESSIONS = words("expr calculate labelExpr signal toggle");
/** Keys whose texts are expressions, individually and in lists. */
const PREDICATES = words("test filter and or not");
const POSITIONS = ["x", "y"] as const;
/** Removed before drawing (`toForeignSpec`), or unused. The server's part of a widget is checked with the widget. */
const IGNORED = words("data datasets usermeta config $schema");
const EVENT = /^[a-z]{1,40}$/;
/**
 * A drag, a turn of the wheel or a click, optionally with a modifier key: `[pointerdown[!event.shiftKey], pointerup] >
 * pointermove`.
 */
const GESTURE = gesture();
const TRANSFORM_ON = /(?:^|\.)transform\.\d+\.on$/;

function gesture(): RegExp {
  const key = String.raw`(?:\[!?event\.(?:shift|ctrl|alt|meta)Key\])?`;
  const event = (names: string) => `(?:window:)?(?:${names})!?${key}!?`;
  const press = event("(?:pointer|mouse)(?:down|up)|touch(?:start|end)");
  const move = event("(?:pointer|mouse)move|touchmove");
  return new RegExp(`^(?:${event("wheel|click|dblclick")}|${press}|\\[${press}, ?${press}\\] ?> ?${move})$`);
}

/** Number of characters that the expressions of one dashboard's charts may still have. */
export type ExpressionBudget = { chars: number };

export function newExpressionBudget(): ExpressionBudget {
  return { chars: DASHBOARD_EXPRESSION_CHARS_MAX };
}

/**
 * Returns the reasons to reject a chart's specification, each with its path; none for one that may be saved. @param
 * budget shared by the charts of a dashboard
 */
export function findSpecProblems(spec: Record_, budget = newExpressionBudget()): SpecProblem[] {
  return new Judge(budget).judge(spec).problems.slice(0, PROBLEMS_MAX);
}

/**
 * Returns the reasons not to draw a specification over these rows: those of `findSpecProblems`, and those that depend
 * on rows.
 */
export function findDrawProblems(spec: Record_, rows: readonly Row[]): SpecProblem[] {
  const { problems, demands } = new Judge(newExpressionBudget()).judge(spec);
  if (problems.length > 0) return problems.slice(0, PROBLEMS_MAX);
  const facts = new RowFacts(rows);
  return demands.flatMap(({ path, check }) => {
    const message = check(facts);
    return message === null ? [] : [{ path, message }];
  });
}

/** Returns a message to show in place of a chart. */
export function toProblemWords([first]: readonly SpecProblem[]): string {
  return first ? `This chart can't be drawn. ${first.message}` : "This chart can't be drawn.";
}

/** A condition that depends on the rows. */
type Demand = { path: string; check: (rows: RowFacts) => string | null };
/**
 * Computed fields of a view, with the factor by which their values may be longer than a cell. `isOpen`: other fields
 * may be computed, too; `hasLists`: an expression may have created a list.
 */
type Made = { growth: Map<string, number>; isOpen: boolean; folds: number; flattens: number; hasLists: boolean };

/** Channels that use the scale of another one. */
const SHARED_SCALE: Readonly<Record<string, string>> = { x2: "x", y2: "y", xError: "x", yError: "y", theta2: "theta" };
/** Aggregates between the smallest and the largest value. */
const WITHIN = words("average mean median min max q1 q3 argmin argmax");
/** Transforms that create fields whose names depend on the rows. */
const NAMING = words("pivot fold flatten impute density quantile regression loess stack");
const STACKING = words("area bar histogram");
const STACKED_BY = words("color fill stroke detail size opacity shape");
/** Start and end of the year in which times without a year are drawn, in epoch milliseconds. */
const YEAR_MS: readonly number[] = [Date.UTC(2012, 0, 1), Date.UTC(2013, 0, 1)];

/** `check` is a reason to reject if it does not depend on rows. */
type StepDemand = { path: string; fields: string[]; check: Demand["check"] | string };
type ScaleUse = {
  fields: Set<string>;
  numbers: number[];
  /** Whether values come from a source other than the rows and the specification. */
  isUnknown: boolean;
  isStackable: boolean;
};

/** Collects the inputs of scales' extents, for bins and ticks whose number follows from an extent and a step. */
class ScaleUses {
  readonly #uses = new Map<string, ScaleUse>();
  readonly #steps: { scale: string; path: string; bin?: number; tick?: { interval: number; step: number } }[] = [];
  /** Names that transforms define, with the column of their values; null for computed values. */
  readonly #sources = new Map<string, string | null>();
  #hasOpenNames = false;
  #hasStackingMark = false;
  #hasStackedBy = false;
  #hasMovedScale = false;

  addView({ mark, params }: Record_): void {
    this.#hasStackingMark ||= STACKING.has(String(isObject(mark) ? mark.type : mark));
    for (const each of Array.isArray(params) ? params : []) {
      this.#hasMovedScale ||= isObject(each) && each.bind === "scales" && each.value !== undefined;
    }
  }

  addTransform(transform: Record_, kind: string): void {
    this.#hasOpenNames ||= NAMING.has(kind);
    if (kind === "bin") {
      const [start, end] = [transform.as].flat();
      // Default bins start and end next to their values.
      const source = transform.bin === true && typeof transform.field === "string" ? transform.field : null;
      this.#compute(start, source);
      this.#compute(end ?? `${String(start)}_end`, source);
      return;
    }
    for (const name of [transform.as].flat()) this.#compute(name, null);
    const operations = [transform.aggregate, transform.joinaggregate, transform.window].flat().filter(isObject);
    for (const { as, op, field } of operations) this.#compute(as ?? `${String(op)}_${String(field ?? "*")}`, null);
  }

  #compute(name: unknown, source: string | null): void {
    if (typeof name !== "string") return;
    const known = this.#sources.has(name) ? this.#sources.get(name) : source;
    this.#sources.set(name, known === source && !this.isComputed(source) ? source : null);
  }

  /** Returns whether a transform computes its values. */
  isComputed(field: string | null): boolean {
    return this.#hasOpenNames || (field !== null && this.#sources.has(field));
  }

  addChannel(name: string, channel: Record_, path: string): void {
    this.#hasStackedBy ||= STACKED_BY.has(name) && channel.field !== undefined;
    const scaleName = SHARED_SCALE[name] ?? name;
    const use = this.#uses.get(scaleName) ?? {
      fields: new Set(),
      numbers: [],
      isUnknown: false,
      isStackable: false,
    };
    this.#uses.set(scaleName, use);
    this.#addValues(use, channel);
    const { bin, scale, axis, legend } = channel;
    if (isObject(scale)) addDomain(use, scale);
    const step = isObject(scale) ? stepOfBins(scale.bins) : null;
    if (step !== null) this.#steps.push({ scale: scaleName, path: join(path, "scale.bins"), bin: step });
    if (isObject(bin) && bin.binned === true && isNumber(bin.step) && bin.step > 0) {
      this.#steps.push({ scale: scaleName, path: join(path, "bin"), bin: bin.step });
    }
    for (const [key, guide] of Object.entries({ axis, legend })) {
      const tick = isObject(guide) ? tickIntervalOf(guide.tickCount) : null;
      if (tick !== null) this.#steps.push({ scale: scaleName, path: join(path, `${key}.tickCount`), tick });
    }
  }

  #addValues(use: ScaleUse, { field, datum, aggregate, bin, timeUnit, stack, type }: Record_): void {
    if (typeof datum === "number") use.numbers.push(datum);
    else if (datum !== undefined) use.isUnknown = true;
    if (isObject(field)) use.isUnknown = true;
    const isWithin = aggregate === undefined || WITHIN.has(String(aggregate));
    if (!isWithin) use.isUnknown = true;
    const hasNoYear = timeUnit !== undefined && !/year/.test(JSON.stringify(timeUnit));
    if (hasNoYear) use.numbers.push(...YEAR_MS);
    else if (typeof field === "string" && isWithin) use.fields.add(field);
    const isBinned = bin !== undefined && bin !== null && bin !== false;
    if (isObject(bin) && isPair(bin.extent)) use.numbers.push(...bin.extent);
    use.isStackable ||= !isBinned && stack !== null && stack !== false && type !== "temporal" && timeUnit === undefined;
    if (stack !== undefined && stack !== null && stack !== false) use.isUnknown = true;
  }

  /** Returns the conditions on rows, or a reason to reject. */
  demands(): StepDemand[] {
    return this.#steps.flatMap(({ scale, path, bin, tick }): StepDemand[] => {
      const use = this.#uses.get(scale);
      if (!use) return [];
      const fields = [...use.fields].map((field) => this.#sources.get(field) ?? field);
      const isComputed =
        this.#hasOpenNames || [...use.fields].some((field) => this.#sources.has(field) && !this.#sources.get(field));
      const isStacked = use.isStackable && this.#hasStackingMark && this.#hasStackedBy;
      const isUnknown = use.isUnknown || isComputed || this.#hasMovedScale || (bin !== undefined && isStacked);
      if (isUnknown) {
        if (bin !== undefined) return [{ path, fields: [], check: "A step requires a start and a stop." }];
        // Charts with these ticks are drawn for any rows: at this size, only centuries are too many.
        if (tick === undefined || tick.interval >= (TICK_INTERVALS.day ?? 0)) return [];
        return [{ path, fields: [], check: "Ticks of hours or less require a time column on their axis." }];
      }
      const check = (rows: RowFacts) => {
        const known = [...use.numbers, ...fields.flatMap((field) => rows.extent(field) ?? [])];
        // Bars start at 0.
        const ends = bin === undefined ? known : [...known, 0];
        const span = ends.length === 0 ? 0 : Math.max(...ends) - Math.min(...ends);
        if (bin !== undefined) return span / bin <= STEPS_MAX ? null : tooMany("bins");
        const { interval, step } = tick ?? { interval: 1, step: 1 };
        const isShort = span / interval <= COUNTED_INTERVALS_MAX && span / (interval * step) <= STEPS_MAX;
        return isShort ? null : tooMany("ticks");
      };
      return [{ path, fields, check }];
    });
  }
}

function tooMany(what: string): string {
  return `More than ${STEPS_MAX} ${what}. Choose a larger step.`;
}

function addDomain(use: ScaleUse, { domain, domainMin, domainMax, domainRaw, padding }: Record_): void {
  const ends = [Array.isArray(domain) ? domain : [], domainMin ?? [], domainMax ?? []].flat();
  const numbers = ends.map((end) => (typeof end === "string" ? Date.parse(end) : end));
  use.numbers.push(...numbers.filter(isNumber));
  const isPlain = domain === undefined || domain === null || domain === "unaggregated" || Array.isArray(domain);
  if (!isPlain || !numbers.every(isNumber) || domainRaw !== undefined || (padding !== undefined && padding !== 0)) {
    use.isUnknown = true;
  }
}

class Judge {
  readonly problems: SpecProblem[] = [];
  readonly demands: Demand[] = [];
  /** Lists of columns that the conditions read, each once. */
  readonly #lists = new Set<string>();
  #columns = 0;
  #views = 0;
  /** Number of rows in all views per row of the result. */
  #rowFactor = 0;
  #expressionChars = 0;
  #parameterGrowth = 1;
  /** Scales of all views, since layers share them. */
  readonly #scales = new ScaleUses();
  readonly #budget: ExpressionBudget;
  readonly #known = new Map<string, ExpressionUse | string>();

  constructor(budget: ExpressionBudget) {
    this.#budget = budget;
  }

  judge(spec: Record_): this {
    this.#walk(spec, "", 0);
    // A tree that is too deep is not checked further.
    if (this.problems.length === 0) {
      this.#view(spec, "", { growth: new Map(), isOpen: false, folds: 1, flattens: 0, hasLists: false }, 1);
      if (this.#views > VIEWS_MAX)
        this.#refuse("", `A chart has at most ${VIEWS_MAX} views. Use fewer layers or repeats.`);
      for (const { path, fields, check } of this.#scales.demands()) {
        if (typeof check === "string") this.#refuse(path, check);
        else
          this.#demand(
            path,
            fields.map((field) => [field]),
            check,
          );
      }
      const factor = this.#rowFactor;
      this.demands.push({
        path: "",
        check: (rows) =>
          rows.count * factor <= DRAWN_ROWS_MAX
            ? null
            : "Too many marks. Use fewer layers and folds, or group the rows.",
      });
    }
    return this;
  }

  #refuse(path: string, message: string): void {
    this.problems.push({ path, message });
  }

  /** @param lists of the columns that the check reads in each row */
  #demand(path: string, lists: readonly (readonly string[])[], check: Demand["check"]): void {
    for (const list of lists) {
      const key = keyOf(list);
      if (this.#lists.has(key)) continue;
      this.#lists.add(key);
      this.#columns += list.length;
    }
    if (this.#columns <= READ_COLUMNS_MAX) this.demands.push({ path, check });
    else {
      this.#refuse(
        path,
        `Pivots, facets, imputed values and bins can use at most ${READ_COLUMNS_MAX} columns. Prepare the rows in the query.`,
      );
    }
  }

  /** Checks values with a limit at every level. */
  #walk(value: unknown, path: string, depth: number): void {
    if (typeof value === "string") {
      if (value.length > TEXT_CHARS_MAX) this.#refuse(path, `Text can have at most ${TEXT_CHARS_MAX} characters.`);
      return;
    }
    if (typeof value !== "object" || value === null) return;
    if (depth > DEPTH_MAX) {
      this.#refuse(path, `A chart can have at most ${DEPTH_MAX} nesting levels.`);
      return;
    }
    if (Array.isArray(value)) {
      for (const [at, each] of value.entries()) this.#walk(each, join(path, at), depth + 1);
      return;
    }
    for (const [key, each] of Object.entries(value)) {
      if (IGNORED.has(key) || (depth === 0 && COMPUTED.has(key))) continue;
      const at = join(path, key);
      const message = this.#refusal(key, each, value as Record_, at);
      if (message !== null) this.#refuse(at, message);
      else this.#walk(each, at, depth + 1);
    }
  }

  #refusal(key: string, value: unknown, parent: Record_, path: string): string | null {
    if (EXPRESSIONS.has(key) || PREDICATES.has(key)) {
      // A predicate may be a list. Its objects are checked, with their keys.
      const texts = PREDICATES.has(key) ? [value].flat(DEPTH_MAX) : [value];
      for (const text of texts) {
        const read = typeof text === "string" ? this.#read(text) : null;
        if (typeof read === "string") return read;
      }
      if (typeof value === "string") return null;
    }
    if (key.endsWith("Dash"))
      return isDashed(value) ? null : `A dash must be 0 or at least ${DASH_PX_MIN} pixels long.`;
    switch (key) {
      case "maxbins":
      case "minsteps":
      case "maxsteps":
        return isCount(value) ? null : `“${key}” must be a number from 1 to ${COUNT_MAX}.`;
      case "steps":
        return Array.isArray(value) || isCount(value) ? null : `“steps” must be a number from 1 to ${COUNT_MAX}.`;
      case "count":
      case "nice":
        return typeof value !== "number" || isCount(value) ? null : `“${key}” must be a number from 1 to ${COUNT_MAX}.`;
      case "tickCount":
        return refuseTickCount(value);
      case "bins":
        return isShortRange(value) || stepOfBins(value) !== null
          ? null
          : `“bins” must be a list, or a range of at most ${COUNT_MAX} steps.`;
      case "base":
        return typeof value !== "number" || (value >= BASE.min && value <= BASE.max)
          ? null
          : `“base” must be a number from ${BASE.min} to ${BASE.max}.`;
      case "minstep":
        return isNumber(value) && value >= 0 ? null : "“minstep” must be 0 or more.";
      case "divide":
        return Array.isArray(value) && value.every((each) => isNumber(each) && each > 0)
          ? null
          : "“divide” must be a list of numbers above 0.";
      case "bin":
        return this.#bin(value, parent, path);
      case "keyvals":
        return isShortRange(isObject(value) ? { start: 0, ...value } : value)
          ? null
          : `“keyvals” can have at most ${COUNT_MAX} values.`;
      case "frame":
        // A title has a `frame` too, which is a word.
        return !("window" in parent) || isFrame(value) ? null : "A frame must be two numbers of rows, or null for all.";
      case "format":
        return typeof value === "string" ? refuseFormat(value) : null;
      case "on":
      case "clear":
        // The column of a regression may have any name.
        if (key === "on" && typeof value === "string" && TRANSFORM_ON.test(path)) return null;
        return typeof value === "boolean" || (typeof value === "string" && (EVENT.test(value) || GESTURE.test(value)))
          ? null
          : `“${key}” must be the name of one event, such as click, or a drag with a key.`;
      case "bind":
        return !isObject(value) || value.legend === undefined || EVENT.test(String(value.legend))
          ? null
          : "“legend” must be the name of one event, such as click.";
      case "translate":
      case "zoom":
        return typeof value === "string" && !GESTURE.test(value)
          ? `“${key}” must be true, false, or a drag or wheel with a key.`
          : null;
      case "element":
        return "Inputs are always below the chart. Remove “element”.";
      case "timeUnit":
        return isTimeUnit(value) ? null : "Use a time unit such as yearmonth.";
      default:
        return null;
    }
  }

  #read(text: string): ExpressionUse | string {
    const known = this.#known.get(text);
    if (known !== undefined) return known;
    this.#expressionChars += text.length;
    this.#budget.chars -= text.length;
    const read =
      this.#expressionChars > EXPRESSION_CHARS_MAX
        ? `A chart's expressions can have at most ${EXPRESSION_CHARS_MAX} characters. Compute the values in the query.`
        : this.#budget.chars < 0
          ? `The expressions of a dashboard can have at most ${DASHBOARD_EXPRESSION_CHARS_MAX} characters. Compute the values in the query.`
          : readExpression(text);
    this.#known.set(text, read);
    return read;
  }

  #bin(value: unknown, parent: Record_, path: string): string | null {
    if (value === null || typeof value === "boolean" || value === "binned") return null;
    if (!isObject(value)) return "“bin” must be true, false, binned or an object.";
    const unknown = Object.keys(value).find((key) => !BIN_KEYS.has(key));
    if (unknown) return `“${unknown}” is not a setting of bins.`;
    const { step, steps, extent, binned } = value;
    const widths = [...(step === undefined ? [] : [step]), ...(Array.isArray(steps) ? steps : [])];
    if (!widths.every((each) => isNumber(each) && each > 0)) return "A bin's step must be a number above 0.";
    const isOfParameter = widths.length === 0 && isParameter(extent);
    if (extent !== undefined && !isPair(extent) && !isOfParameter)
      return "“extent” must be two numbers, the lower one first, or without a step a parameter.";
    // The step is that of the scale's bins, which depends on the encoding's channel.
    if (widths.length === 0 || binned === true) return null;
    const width = Math.min(...(widths as number[]));
    const tooMany = `More than ${COUNT_MAX} bins. Choose a larger step.`;
    if (isPair(extent)) return (extent[1] - extent[0]) / width <= COUNT_MAX ? null : tooMany;
    const { field } = parent;
    this.#demand(path, typeof field === "string" ? [[field]] : [], (rows) => {
      if (typeof field !== "string" || !rows.has(field) || this.#scales.isComputed(field))
        return "A step requires an “extent”.";
      return rows.span(field) / width <= COUNT_MAX ? null : tooMany;
    });
    return null;
  }

  /** Checks one view and its children. @param times number of repetitions */
  #view(view: unknown, path: string, above: Made, times: number): void {
    if (!isObject(view)) {
      this.#refuse(path, "A view must be an object with a mark, or with views in it.");
      return;
    }
    const computed = { ...above, growth: new Map(above.growth) };
    this.#parameters(view.params, join(path, "params"));
    this.#scales.addView(view);
    this.#transforms(view.transform, join(path, "transform"), computed);
    this.#mark(view.mark, join(path, "mark"));
    this.#encoding(view.encoding, join(path, "encoding"), computed);
    if (view.facet !== undefined) this.#facets(facetFields(view.facet), join(path, "facet"), computed);
    const inner = LAYOUTS.flatMap((key) => {
      const views = view[key];
      if (views === undefined) return [];
      if (Array.isArray(views)) return views.map((each, at) => ({ each, at: join(path, `${key}.${at}`) }));
      this.#refuse(join(path, key), `“${key}” must be a list of views.`);
      return [];
    });
    this.#views += times;
    this.#rowFactor += times * computed.folds;
    for (const { each, at } of inner) this.#view(each, at, computed, times);
    const repeats = this.#repeats(view.repeat, join(path, "repeat"));
    if (view.spec !== undefined) this.#view(view.spec, join(path, "spec"), computed, times * repeats);
  }

  #repeats(repeat: unknown, path: string): number {
    if (repeat === undefined) return 1;
    const lists = Array.isArray(repeat) ? [repeat] : isObject(repeat) ? Object.values(repeat) : [];
    if (
      lists.length > 0 &&
      lists.every((list) => Array.isArray(list) && list.every((each) => typeof each === "string"))
    ) {
      return lists.reduce<number>((product, list) => product * (list as unknown[]).length, 1);
    }
    this.#refuse(path, "“repeat” must be a list of fields, or an object with such lists for row, column or layer.");
    return 1;
  }

  /** Expressions may refer to other parameters, and so on: the limits multiply. */
  #parameters(params: unknown, path: string): void {
    if (params === undefined) return;
    if (!Array.isArray(params)) {
      this.#refuse(path, "“params” must be a list.");
      return;
    }
    for (const [at, each] of params.entries()) {
      const expression = isObject(each) ? each.expr : undefined;
      const use = typeof expression === "string" ? this.#read(expression) : null;
      if (use === null || typeof use === "string") continue;
      this.#parameterGrowth *= Math.max(1, use.names.length);
      if (this.#parameterGrowth > GROWTH_MAX) this.#refuse(join(path, at), "Too many combined parameters.");
    }
  }

  #transforms(transforms: unknown, path: string, computed: Made): void {
    if (transforms === undefined) return;
    if (!Array.isArray(transforms)) {
      this.#refuse(path, "“transform” must be a list.");
      return;
    }
    if (transforms.length > TRANSFORMS_MAX) {
      this.#refuse(path, `A view has at most ${TRANSFORMS_MAX} transforms.`);
      return;
    }
    for (const [at, each] of transforms.entries()) {
      const message = isObject(each)
        ? this.#transform(each, join(path, at), computed)
        : "A transform must be an object.";
      if (message !== null) this.#refuse(join(path, at), message);
    }
  }

  #transform(transform: Record_, path: string, computed: Made): string | null {
    const kind = Object.keys(transform).find((key) => TRANSFORMS.has(key));
    if (kind === undefined || "lookup" in transform) {
      const name = Object.keys(transform)[0] ?? "";
      return `The transform “${name}” is not supported in a chart. Compute it in the query.`;
    }
    this.#scales.addTransform(transform, kind);
    if (kind === "calculate") return this.#calculate(transform, computed);
    if (kind === "filter") return null;
    const { groupby, as } = transform;
    computed.isOpen = true;
    for (const name of [as].flat()) if (typeof name === "string") computed.growth.set(name, largest(computed));
    const groups = fieldsOf(groupby);
    switch (kind) {
      case "fold": {
        const fields = transform.fold;
        if (!Array.isArray(fields)) return "“fold” must be a list of fields.";
        computed.folds *= Math.max(1, fields.length);
        return computed.folds <= FOLDS_MAX ? null : `Folds produce at most ${FOLDS_MAX} rows of one.`;
      }
      case "flatten":
        computed.flattens += 1;
        return computed.flattens > 1 || computed.hasLists
          ? "Only list columns can be flattened, and only once. Flatten them in the query."
          : null;
      case "impute":
        return this.#impute(transform.key, groups, transform.keyvals, path);
      case "pivot": {
        const pivot = [String(transform.pivot)];
        this.#demand(path, [pivot, groups], (rows) =>
          rows.distinct(pivot) * rows.distinct(groups) <= MADE_ROWS_MAX
            ? null
            : "The pivot produces too many columns. Pivot in the query.",
        );
        return null;
      }
      case "quantile": {
        const { step, probs } = transform;
        const isCoarse = step === undefined || (isNumber(step) && step >= 1 / COUNT_MAX);
        const isShort = probs === undefined || (Array.isArray(probs) && probs.length <= COUNT_MAX);
        return isCoarse && isShort ? null : `Quantiles have at most ${COUNT_MAX} steps.`;
      }
      case "regression": {
        const { order } = transform;
        return order === undefined || (isNumber(order) && order >= 0 && order <= 10)
          ? null
          : "“order” must be at most 10.";
      }
      default:
        return this.#operations(transform);
    }
  }

  #operations(transform: Record_): string | null {
    for (const list of [transform.aggregate, transform.joinaggregate]) {
      if (list === undefined) continue;
      if (!Array.isArray(list)) return "An aggregate must be a list of operations.";
      for (const each of list) {
        const op = isObject(each) ? each.op : undefined;
        if (!AGGREGATES.has(String(op)))
          return `“${String(op)}” is not an operation. Use sum, mean, min, max or count.`;
      }
    }
    return null;
  }

  #calculate({ calculate, as }: Record_, computed: Made): string | null {
    if (typeof calculate !== "string") return "“calculate” must be an expression.";
    if (typeof as !== "string") return "Set the result name in “as”.";
    const use = this.#read(calculate);
    // The walk has reported it.
    if (typeof use === "string") return null;
    const most = largest(computed);
    const ofField = (field: string) =>
      field === ANY_FIELD || computed.isOpen ? most : (computed.growth.get(field) ?? 1);
    const growth =
      use.fields.reduce((sum, field) => sum + ofField(field), 0) + use.names.length * this.#parameterGrowth;
    if (growth > GROWTH_MAX) return "The calculations are too complex. Compute them in the query.";
    computed.growth.set(as, Math.max(1, growth));
    computed.hasLists ||= use.names.length > 0 || /\[|split|sequence/.test(calculate);
    return null;
  }

  #impute(key: unknown, groups: readonly string[], keyvals: unknown, path: string): string | null {
    const added = Array.isArray(keyvals) ? keyvals.length : keyvals === undefined ? 0 : COUNT_MAX;
    const keys = [String(key)];
    this.#demand(path, [keys, groups], (rows) =>
      (rows.distinct(keys) + added) * rows.distinct(groups) <= MADE_ROWS_MAX
        ? null
        : "Imputed values would produce too many rows. Fill the gaps in the query.",
    );
    return null;
  }

  #mark(mark: unknown, path: string): void {
    if (mark === undefined) return;
    const type = isObject(mark) ? mark.type : mark;
    if (typeof type === "string" && MARKS.has(type)) return;
    this.#refuse(
      path,
      `“${String(type).slice(0, 40)}” is not a mark. Use bar, line, area, point, arc, rect, tick or text.`,
    );
  }

  #encoding(encoding: unknown, path: string, computed: Made): void {
    if (encoding === undefined) return;
    if (!isObject(encoding)) {
      this.#refuse(path, "“encoding” must be an object of channels.");
      return;
    }
    for (const [name, channel] of Object.entries(encoding)) {
      const at = join(path, name);
      for (const each of [channel].flat()) {
        this.#channel(each, at);
        if (isObject(each)) this.#scales.addChannel(name, each, at);
      }
    }
    const facets = ["row", "column", "facet"].map((name) => encoding[name]).filter(isObject);
    this.#facets(facets, path, computed);
    for (const [name, other] of [POSITIONS, POSITIONS.toReversed()] as [string, string][]) {
      const channel = encoding[name];
      if (!isObject(channel) || !isObject(channel.impute)) continue;
      const groups = Object.entries(encoding).filter(([each]) => each !== name && each !== other);
      const key = isObject(encoding[other]) ? encoding[other].field : undefined;
      this.#impute(
        key,
        groups.flatMap(([, each]) => fieldsOf(each)),
        channel.impute.keyvals,
        join(path, `${name}.impute`),
      );
    }
  }

  #channel(channel: unknown, path: string): void {
    if (channel === null) return;
    if (!isObject(channel)) {
      this.#refuse(path, "A channel must be an object with a field or a value.");
      return;
    }
    const { field, type, aggregate, scale } = channel;
    if (field !== undefined && typeof field !== "string" && !(isObject(field) && "repeat" in field)) {
      this.#refuse(join(path, "field"), "“field” must be the name of a column.");
    }
    if (type !== undefined && !TYPES.has(String(type))) {
      this.#refuse(join(path, "type"), "“type” must be quantitative, temporal, ordinal or nominal.");
    }
    if (typeof aggregate === "string" && !AGGREGATES.has(aggregate)) {
      this.#refuse(join(path, "aggregate"), `“${aggregate}” is not an operation. Use sum, mean, min, max or count.`);
    }
    if (isObject(scale) && scale.type !== undefined && !SCALES.has(String(scale.type))) {
      this.#refuse(join(path, "scale.type"), `“${String(scale.type)}” is not a scale. Use linear, log, time or band.`);
    }
  }

  #facets(facets: readonly Record_[], path: string, { growth }: Made): void {
    const fields = facets
      .filter(({ bin, timeUnit }) => bin === undefined && timeUnit === undefined)
      .flatMap(({ field }) => (typeof field === "string" && !growth.has(field) ? [field] : []));
    if (fields.length === 0) return;
    this.#demand(path, [fields], (rows) =>
      rows.distinct(fields) <= FACETS_MAX
        ? null
        : `More than ${FACETS_MAX} small charts. Facet by a column with fewer values.`,
    );
  }
}

function facetFields(facet: unknown): Record_[] {
  if (!isObject(facet)) return [];
  return "field" in facet ? [facet] : Object.values(facet).filter(isObject);
}

function fieldsOf(value: unknown): string[] {
  return [value].flat().flatMap((each) => {
    const field = isObject(each) ? each.field : each;
    return typeof field === "string" ? [field] : [];
  });
}

function largest({ growth }: Made): number {
  return Math.max(1, ...growth.values());
}

function keyOf(fields: readonly string[]): string {
  return JSON.stringify(fields);
}

/** Counts and spans of rows, each computed once. */
class RowFacts {
  readonly count: number;
  readonly #rows: readonly Row[];
  readonly #distinct = new Map<string, number>();
  readonly #extents = new Map<string, readonly [number, number] | null>();

  constructor(rows: readonly Row[]) {
    this.#rows = rows;
    this.count = rows.length;
  }

  has(field: string): boolean {
    return this.count === 0 || field in (this.#rows[0] ?? {});
  }

  /** Counts groups of rows. A computed field counts as one group per row. */
  distinct(fields: readonly string[]): number {
    if (fields.length === 0) return 1;
    if (!fields.every((field) => this.has(field))) return this.count;
    return computeOnce(this.#distinct, keyOf(fields), () => countDistinct(this.#rows, fields));
  }

  span(field: string): number {
    const [low, high] = this.extent(field) ?? [0, 0];
    return high - low;
  }

  /** Times are in milliseconds; null for a field without numbers and times. */
  extent(field: string): readonly [number, number] | null {
    return computeOnce(this.#extents, field, () => extentOf(this.#rows, field));
  }
}

function countDistinct(rows: readonly Row[], [field = "", ...others]: readonly string[]): number {
  const found = new Set<unknown>();
  for (const row of rows) {
    const value = row[field];
    // One column is the usual case, and its values are compared faster than texts.
    if (others.length > 0) found.add(JSON.stringify([value, ...others.map((other) => row[other])]));
    else found.add(typeof value === "object" ? JSON.stringify(value) : value);
  }
  return found.size;
}

function computeOnce<T>(known: Map<string, T>, key: string, compute: () => T): T {
  const there = known.get(key);
  if (there !== undefined) return there;
  const value = compute();
  known.set(key, value);
  return value;
}

function extentOf(rows: readonly Row[], field: string): readonly [number, number] | null {
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const row of rows) {
    const value = row[field];
    const number =
      value === null
        ? Number.NaN
        : typeof value === "string" && Number.isNaN(Number(value))
          ? Date.parse(value)
          : Number(value);
    if (Number.isNaN(number)) continue;
    low = Math.min(low, number);
    high = Math.max(high, number);
  }
  return low <= high ? [low, high] : null;
}

/** Vega uses the plural of the name that Vega-Lite documents (`toForeignSpec`). */
function toIntervalName(interval: unknown): string {
  return String(interval).replace(/^(hour|minute|second|millisecond)s$/, "$1");
}

/** @param count ticks of an axis or a legend */
function tickIntervalOf(count: unknown): { interval: number; step: number } | null {
  const interval = TICK_INTERVALS[toIntervalName(isObject(count) ? count.interval : count)];
  if (interval === undefined || typeof count === "number") return null;
  return { interval, step: isObject(count) && isNumber(count.step) ? count.step : 1 };
}

function refuseTickCount(value: unknown): string | null {
  if (typeof value === "number")
    return value >= 0 && value <= COUNT_MAX ? null : `“tickCount” must be a number up to ${COUNT_MAX}.`;
  const interval = isObject(value) ? value.interval : value;
  if (isObject(value) && ("expr" in value || "signal" in value)) return "“tickCount” must be a number or an interval.";
  if (isObject(value) && value.step !== undefined && !(isCount(value.step) && Number(value.step) >= 1))
    return `An interval's step must be a number from 1 to ${COUNT_MAX}.`;
  return Object.hasOwn(TICK_INTERVALS, toIntervalName(interval))
    ? null
    : "Choose the interval year, quarter, month, week, day, hour, minute, second or millisecond.";
}

/** Returns the step of a scale's bins if their ends depend on the rows; null for others. */
function stepOfBins(bins: unknown): number | null {
  if (!isObject(bins) || (bins.start !== undefined && bins.stop !== undefined)) return null;
  const { start, stop, step } = bins;
  const isPlain = [start, stop].every((each) => each === undefined || isNumber(each));
  return isPlain && isNumber(step) && step > 0 ? step : null;
}

function isShortRange(value: unknown): boolean {
  if (Array.isArray(value)) return value.length <= COUNT_MAX;
  if (!isObject(value)) return false;
  const { start, stop, step = 1 } = value;
  if (!isNumber(start) || !isNumber(stop) || !isNumber(step) || step === 0) return false;
  return Math.abs((stop - start) / step) <= COUNT_MAX;
}

function isFrame(value: unknown): boolean {
  return Array.isArray(value) && value.length === 2 && value.every((each) => each === null || isNumber(each));
}

function isDashed(value: unknown): boolean {
  if (Array.isArray(value)) return value.every(isDashed);
  if (isObject(value))
    return [value.value, value.range, value.condition].every((each) => each === undefined || isDashed(each));
  if (typeof value === "number") return value === 0 || value >= DASH_PX_MIN;
  return true;
}

function isTimeUnit(value: unknown): boolean {
  const unit = isObject(value) ? value.unit : value;
  const step = isObject(value) ? value.step : undefined;
  const isStepped = step === undefined || (isNumber(step) && step >= 1);
  return isStepped && (value === null || unit === undefined || (typeof unit === "string" && TIME_UNIT.test(unit)));
}

function isCount(value: unknown): boolean {
  return isNumber(value) && value > 0 && value <= COUNT_MAX;
}

function isPair(value: unknown): value is [number, number] {
  return Array.isArray(value) && value.length === 2 && value.every(isNumber) && Number(value[0]) < Number(value[1]);
}

/** Returns whether an extent depends on a selection, whose bins `maxbins` limits. */
function isParameter(value: unknown): boolean {
  if (!isObject(value) || typeof value.param !== "string") return false;
  return Object.entries(value).every(
    ([key, each]) => key === "param" || ((key === "encoding" || key === "field") && typeof each === "string"),
  );
}

function isNumber(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value);
}

function isObject(value: unknown): value is Record_ {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function join(path: string, key: string | number): string {
  return path === "" ? String(key) : `${path}.${key}`;
}
