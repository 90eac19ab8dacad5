import { rescale, toNumberText, toScaled } from "@/lib/base/values/exact-number";
import type { Field, WireValue } from "@/lib/base/values/fields";
import type { Arithmetic, Bin, Coded, CubeAxis, CubeMeasure, WidgetCube } from "./cube";
import { divide, quotientRank, toWhole } from "./quotient";

/** A selection: values by column, or a range of days including both ends. */
export type Pressed = Readonly<Record<string, readonly unknown[] | { from: string; to: string }>>;

/** The server's answer for the same selection. */
export type Narrowed = {
  id: string;
  fields: Field[];
  rows: Record<string, WireValue>[];
  cachedAt: string | null;
  ageMs: number | null;
  truncated: boolean;
  firstRows?: number | undefined;
};

export type OpenCube = {
  /**
   * Returns the widget's data under a selection; null selects nothing. A step over 50,000 cells takes some
   * milliseconds.
   * @returns null if only the server can tell: a range that ends within a bin, a value that no row may have
   */
  narrow: (pressed: Pressed | null) => Narrowed | null;
};

/** Prepares a cube for repeated filtering. */
export function openCube(cube: WidgetCube): OpenCube {
  const groups = groupCells(cube);
  const adders = cube.measures.map((measure) => toAdder(measure));
  return {
    narrow(pressed) {
      const allowed = allow(cube.axes, pressed ?? {});
      if (allowed === null) return null;
      const state = adders.map((adder) => adder.begin(groups.count));
      const isThere = new Uint8Array(groups.count);
      for (let cell = 0; cell < groups.of.length; cell++) {
        if (!allowed.every(({ codes, isIn }) => isIn[codes[cell] ?? 0] === 1)) continue;
        const group = groups.of[cell] ?? 0;
        isThere[group] = 1;
        for (const one of state) one.add(group, cell);
      }
      // Without dimensions there is one row, also for no data.
      const isOne = cube.dimensions.length === 0;
      const kept: number[] = [];
      for (let group = 0; group < groups.count; group++) if (isOne || isThere[group] === 1) kept.push(group);
      kept.sort(comparing(cube, groups, state));
      const shown = kept.slice(0, cube.limit);
      const columns = [
        ...cube.dimensions.map(({ values, codes }) => (group: number) => {
          return values[codes[groups.first[group] ?? 0] ?? 0] ?? null;
        }),
        ...state.map(({ resultOf }) => resultOf),
      ];
      const { id, fields, cachedAt, ageMs, firstRows } = cube;
      const rows = shown.map((group) =>
        Object.fromEntries(fields.map(({ name }, at) => [name, columns[at]?.(group) ?? null])),
      );
      const truncated = cube.truncated || kept.length > cube.limit;
      return { id, fields, rows, cachedAt, ageMs, truncated, ...(firstRows !== undefined && { firstRows }) };
    },
  };
}

type Groups = { count: number; of: Int32Array /** A cell of each group. */; first: number[] };

/** Maps cells to rows of the answer, which does not depend on the selection. */
function groupCells({ axes, dimensions }: WidgetCube): Groups {
  const cells = axes[0]?.codes.length ?? 0;
  const of = new Int32Array(cells);
  if (dimensions.length === 0) return { count: 1, of, first: [0] };
  const first: number[] = [];
  const known = new Map<string, number>();
  for (let cell = 0; cell < cells; cell++) {
    const key = dimensions.map(({ codes }) => codes[cell]).join();
    let group = known.get(key);
    if (group === undefined) {
      group = first.length;
      known.set(key, group);
      first.push(cell);
    }
    of[cell] = group;
  }
  return { count: first.length, of, first };
}

type Allowed = { codes: number[]; isIn: Uint8Array };

function allow(axes: readonly CubeAxis[], pressed: Pressed): Allowed[] | null {
  const allowed: Allowed[] = [];
  for (const axis of axes) {
    const chosen = Object.hasOwn(pressed, axis.field) ? pressed[axis.field] : undefined;
    if (chosen === undefined) continue;
    const isTime = axis.bin !== null || axis.type === "date";
    // Selecting days does not filter a column without times, on the server either.
    if (!Array.isArray(chosen) && !isTime) continue;
    const test = Array.isArray(chosen) ? oneOf(axis, chosen) : within(axis, chosen as { from: string; to: string });
    if (test === null) return null;
    allowed.push({ codes: axis.codes, isIn: Uint8Array.from(axis.values, (value) => (test(value) ? 1 : 0)) });
  }
  return allowed;
}

type Test = (value: WireValue) => boolean;
const DAY = /^\d{4}-\d{2}-\d{2}$/;
const DAY_MS = 24 * 60 * 60 * 1000;

function within({ bin, values }: CubeAxis, { from, to }: { from: string; to: string }): Test | null {
  if (!values.every((value) => value === null || DAY.test(String(value)))) return null;
  const [first, next] = [Date.parse(from), Date.parse(to) + DAY_MS];
  if (!DAY.test(from) || !DAY.test(to) || Number.isNaN(first) || Number.isNaN(next) || from > to) return null;
  if (bin !== null && !(isBegin(bin, new Date(first)) && isBegin(bin, new Date(next)))) return null;
  return (value) => value !== null && String(value) >= from && String(value) <= to;
}

/** Returns whether a bin starts on this day: a range consists of whole bins if its days start and end with them. */
function isBegin(bin: Bin, date: Date): boolean {
  if (bin === "day") return true;
  if (bin === "week") return date.getUTCDay() === 1;
  const month = date.getUTCMonth();
  return date.getUTCDate() === 1 && (bin === "month" || month % (bin === "quarter" ? 3 : 12) === 0);
}

const WHOLE = /^-?\d{1,38}$/;
const FLOAT = /^(?:-?\d+(?:\.\d+)?(?:e[+-]?\d+)?|NaN|-?Infinity)$/i;

/** Compares as the server does: numbers by value, all else by its text. */
function oneOf({ type, bin, values }: CubeAxis, chosen: readonly unknown[]): Test | null {
  if (bin !== null) return null;
  const hasNull = chosen.includes(null);
  const texts = chosen.filter((each) => each !== null).map(String);
  const toKey = KEYS[type];
  if (!toKey) return texts.length > 0 ? null : (value) => value === null && hasNull;
  const wanted = new Set<string>();
  for (const text of texts) {
    const key = toKey(text);
    if (key === null) return null;
    wanted.add(key);
  }
  // An invalid date is not answered here: the server would reject it.
  if (type === "date" && texts.some((text) => !values.includes(text))) return null;
  return (value) => (value === null ? hasNull : wanted.has(toKey(String(value)) ?? ""));
}

/** Parsers by type; null for a text that is not a value of the type. */
const KEYS: Partial<Record<Field["type"], (text: string) => string | null>> = {
  string: (text) => text,
  decimal: (text) => text,
  objectId: (text) => text,
  boolean: (text) => (/^(?:true|false)$/.test(text) ? text : null),
  date: (text) => (DAY.test(text) ? text : null),
  int32: toWholeKey,
  int64: toWholeKey,
  // "-0" and "0" are equal, and so are all NaN.
  float64: (text) => (FLOAT.test(text) ? String(Number(text) + 0) : null),
};

function toWholeKey(text: string): string | null {
  return WHOLE.test(text) ? BigInt(text).toString() : null;
}

/** Sums a measure by group. */
type Sum = {
  add: (group: number, cell: number) => void;
  resultOf: (group: number) => WireValue;
  /** Sort key of the rows; null for no value, which is last. */
  rankOf: (group: number) => number | bigint | null;
};
type Adder = { begin: (groups: number) => Sum };

function toAdder(measure: CubeMeasure): Adder {
  if (measure.kind === "count") return countAdder(measure.counts);
  if ("codes" in measure) return extremeAdder(measure, measure.kind === "max" ? 1 : -1);
  const sums = measure.arithmetic === "float" ? floatAdder(measure.sums) : exactAdder(measure.sums, measure.arithmetic);
  if (measure.kind === "sum") return sums;
  const counts = countAdder(measure.counts);
  const { arithmetic } = measure;
  return {
    begin(groups) {
      const [sum, count] = [sums.begin(groups), counts.begin(groups)];
      const countOf = (group: number) => Number(count.resultOf(group));
      return {
        add(group, cell) {
          sum.add(group, cell);
          count.add(group, cell);
        },
        resultOf(group) {
          if (arithmetic !== "float") return divide(sum.textOf(group), countOf(group), arithmetic === "decimal");
          const total = sum.rankOf(group);
          return total === null ? null : toFloat(Number(total) / countOf(group));
        },
        rankOf(group) {
          const total = sum.rankOf(group);
          if (total === null) return null;
          if (arithmetic === "float") return Number(total) / countOf(group);
          return quotientRank(BigInt(total), countOf(group));
        },
      };
    },
  };
}

function countAdder(counts: readonly number[]): Adder {
  return {
    begin(groups) {
      const all = new Float64Array(groups);
      return {
        add: (group, cell) => {
          all[group] = (all[group] ?? 0) + (counts[cell] ?? 0);
        },
        resultOf: (group) => all[group] ?? 0,
        rankOf: (group) => all[group] ?? 0,
      };
    },
  };
}

/** The values are sorted, so that the lowest code is the lowest value. */
function extremeAdder({ values, codes }: Coded, sign: 1 | -1): Adder {
  return {
    begin(groups) {
      const best = new Int32Array(groups).fill(-1);
      return {
        add(group, cell) {
          const code = codes[cell] ?? 0;
          const before = best[group] ?? -1;
          if ((values[code] ?? null) !== null && (before === -1 || (code - before) * sign > 0)) best[group] = code;
        },
        resultOf: (group) => values[best[group] ?? -1] ?? null,
        rankOf: (group) => (best[group] === -1 ? null : (best[group] ?? null)),
      };
    },
  };
}

type NumberSum = Sum & {
  textOf: (group: number) => string | null;
};

/** Sums exactly: as integers of the digits, without the point. */
function exactAdder(sums: readonly WireValue[], arithmetic: Arithmetic): { begin: (groups: number) => NumberSum } {
  const scaled = sums.map((sum) => (sum === null ? null : toScaled(String(sum))));
  const scale = scaled.reduce((most, each) => Math.max(most, each?.scale ?? 0), 0);
  const parts = scaled.map((each) => each && rescale(each, scale));
  const largest = parts.reduce<bigint>((all, part) => all + (part === null ? 0n : part < 0n ? -part : part), 0n);
  // If no sum can exceed the exact range of a number, numbers are ten times as fast.
  const small =
    largest <= BigInt(Number.MAX_SAFE_INTEGER) ? Float64Array.from(parts, (part) => Number(part ?? 0)) : null;
  return {
    begin(groups) {
      const isKnown = new Uint8Array(groups);
      const numbers = new Float64Array(small ? groups : 0);
      const bigs = small ? [] : new Array<bigint>(groups).fill(0n);
      const total = (group: number) => (small ? BigInt(numbers[group] ?? 0) : (bigs[group] ?? 0n));
      const textOf = (group: number) => (isKnown[group] === 1 ? toNumberText(total(group), scale) : null);
      return {
        add(group, cell) {
          const part = parts[cell] ?? null;
          if (part === null) return;
          isKnown[group] = 1;
          if (small) numbers[group] = (numbers[group] ?? 0) + (small[cell] ?? 0);
          else bigs[group] = (bigs[group] ?? 0n) + part;
        },
        textOf,
        resultOf: (group) => (arithmetic === "whole" ? toWhole(textOf(group)) : textOf(group)),
        rankOf: (group) => (isKnown[group] === 1 ? (small ? (numbers[group] ?? 0) : total(group)) : null),
      };
    },
  };
}

/** Sums floats and adds the accumulated rounding error at the end (Neumaier), as the server does. */
function floatAdder(sums: readonly WireValue[]): { begin: (groups: number) => NumberSum } {
  const parts = sums.map((sum) => (sum === null ? null : Number(sum)));
  return {
    begin(groups) {
      const isKnown = new Uint8Array(groups);
      const [all, lost] = [new Float64Array(groups), new Float64Array(groups)];
      const total = (group: number) => {
        if (isKnown[group] !== 1) return null;
        const [sum = 0, rest = 0] = [all[group], lost[group]];
        return Number.isFinite(sum) ? sum + rest : sum;
      };
      return {
        add(group, cell) {
          const part = parts[cell] ?? null;
          if (part === null) return;
          isKnown[group] = 1;
          const before = all[group] ?? 0;
          const sum = before + part;
          const loss = Math.abs(before) >= Math.abs(part) ? before - sum + part : part - sum + before;
          all[group] = sum;
          lost[group] = (lost[group] ?? 0) + loss;
        },
        textOf: (group) => {
          const sum = total(group);
          return sum === null ? null : String(sum);
        },
        resultOf: (group) => {
          const sum = total(group);
          return sum === null ? null : toFloat(sum);
        },
        rankOf: total,
      };
    },
  };
}

function comparing({ sort, dimensions }: WidgetCube, groups: Groups, sums: readonly Sum[]) {
  const keys = sort.map(({ at, order }) => {
    const sign = order === "desc" ? -1 : 1;
    const dimension = dimensions[at];
    const sum = sums[at - dimensions.length];
    const rankOf = (group: number): number | bigint | null => {
      if (!dimension) return sum?.rankOf(group) ?? null;
      const code = dimension.codes[groups.first[group] ?? 0] ?? 0;
      return (dimension.values[code] ?? null) === null ? null : code;
    };
    return { sign, rankOf };
  });
  return (a: number, b: number): number => {
    for (const { sign, rankOf } of keys) {
      const [x, y] = [rankOf(a), rankOf(b)];
      if (x === null && y === null) continue;
      if (x === null || y === null) return x === null ? 1 : -1;
      const order = compareNumbers(x, y);
      if (order !== 0) return order * sign;
    }
    return 0;
  };
}

/** Compares numbers; NaN is the greatest, as in the database. */
function compareNumbers(x: number | bigint, y: number | bigint): number {
  const [isX, isY] = [Number.isNaN(x), Number.isNaN(y)];
  if (isX || isY) return Number(isX) - Number(isY);
  return x < y ? -1 : x > y ? 1 : 0;
}

function toFloat(value: number): WireValue {
  return Number.isFinite(value) ? value : String(value);
}
