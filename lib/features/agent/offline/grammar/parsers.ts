/** Parser combinators that keep every reading of a sentence, each with the weight of the words it explains. */

export type Reading<T> = { to: number; value: T; weight: number };
/** Returns the readings that start at a token. */
export type Parser<T> = (from: number) => Reading<T>[];

/** Maximum number of readings kept at one place: an ambiguous sentence must not multiply without end. */
const READINGS_MAX = 24;

export function alternatives<T>(...parsers: Parser<T>[]): Parser<T> {
  return (from) => bounded(parsers.flatMap((parser) => parser(from)));
}

/** Reads the parts one after the other. */
export function sequence<T extends unknown[]>(...parsers: { [K in keyof T]: Parser<T[K]> }): Parser<T> {
  return (from) => {
    let readings: Reading<unknown[]>[] = [{ to: from, value: [], weight: 0 }];
    for (const parser of parsers as Parser<unknown>[]) {
      readings = bounded(
        readings.flatMap(({ to, value, weight }) =>
          parser(to).map((next) => ({ to: next.to, value: [...value, next.value], weight: weight + next.weight })),
        ),
      );
    }
    return readings as Reading<T>[];
  };
}

export function optional<T>(parser: Parser<T>): Parser<T | null> {
  return (from) => bounded<T | null>([...parser(from), { to: from, value: null, weight: 0 }]);
}

export function mapped<T, U>(parser: Parser<T>, toValue: (value: T) => U | undefined): Parser<U> {
  return (from) =>
    parser(from).flatMap(({ to, value, weight }) => {
      const next = toValue(value);
      return next === undefined ? [] : [{ to, value: next, weight }];
    });
}

/** Reads the same with less weight, so that other readings come first. */
export function lighter<T>(parser: Parser<T>, by: number): Parser<T> {
  return (from) => parser(from).map((reading) => ({ ...reading, weight: reading.weight - by }));
}

/** Reads one or more parts with separators between them. */
export function separated<T>(parser: Parser<T>, separator: Parser<unknown>, max = 6): Parser<T[]> {
  return (from) => {
    let open: Reading<T[]>[] = parser(from).map((first) => ({ ...first, value: [first.value] }));
    const found = [...open];
    for (let count = 1; count < max && open.length > 0; count++) {
      open = bounded(
        open.flatMap(({ to, value, weight }) =>
          separator(to).flatMap((gap) =>
            parser(gap.to).map((next) => ({
              to: next.to,
              value: [...value, next.value],
              weight: weight + gap.weight + next.weight,
            })),
          ),
        ),
      );
      found.push(...open);
    }
    return bounded(found);
  };
}

/** Reads any number of parts, also none. */
export function many<T>(parser: Parser<T>, max = 8): Parser<T[]> {
  const nothing: Parser<unknown> = (from) => [{ to: from, value: null, weight: 0 }];
  return mapped(optional(separated(parser, nothing, max)), (list) => list ?? []);
}

function bounded<T>(readings: Reading<T>[]): Reading<T>[] {
  if (readings.length <= READINGS_MAX) return readings;
  return readings.sort((a, b) => b.weight - a.weight || b.to - a.to).slice(0, READINGS_MAX);
}
