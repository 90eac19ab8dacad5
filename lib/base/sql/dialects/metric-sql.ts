/*
 * The SQL of metric queries that differs between databases. All values are SQL expressions.
 */

/** Lengths of a time span. */
export const METRIC_GRAINS = ["hour", "day", "week", "month", "quarter", "year"] as const;
export type MetricGrain = (typeof METRIC_GRAINS)[number];

type Part = "year" | "quarter" | "month" | "week" | "day" | "hour" | "minute" | "second";
type Cast = "text" | "integer" | "decimal" | "float" | "boolean" | "date" | "timestamp";

export type MetricSql = {
  /** Returns a quotient that keeps all digits; null for a division by zero. */
  divide(left: string, right: string): string;
  concat(values: readonly string[]): string;
  /** Type names for CAST. */
  types: Readonly<Record<Cast, string>>;
  /** Functions of one row whose name or form differs. */
  functions: Readonly<Record<string, (...values: string[]) => string>>;
  /** Aggregates beyond SUM, COUNT, MIN and MAX. A missing one is refused. */
  aggregates: Readonly<Record<string, (value: string, distinct: string) => string>>;
  part(part: Part, value: string): string;
  /** Truncates a local time; from days on, to a day. */
  truncate(value: string, grain: MetricGrain | "minute" | "second"): string;
  /** Adds a number of months or days to a local time or a day. */
  add(value: string, count: number, unit: "month" | "day" | "minute"): string;
  /**
   * Returns the local time of an instant. Absent: the database knows no zones, and the offsets of the period are written
   * into the statement. @param zone the zone's name as a literal
   */
  toLocal?(instant: string, zone: string): string;
  /** The reverse of `toLocal`. Absent: local times are compared. */
  toInstant?(local: string, zone: string): string;
  /** The present moment, as an instant. */
  readonly now: string;
  /** Types without a zone in their name whose values are instants. Absent: there are none. */
  readonly instants?: RegExp;
  /**
   * Returns the lower bound of the range of numbers that a value is in.
   * @param width a positive number as a literal
   * @param type the database's type of the value; empty if unknown
   */
  bin(value: string, width: string, type: string): string;
  /**
   * Returns a column in the form in which its type is compared. Absent: unchanged.
   * @param isFine whether it is compared with parts of a second
   */
  comparable?(value: string, type: "date" | "time" | "instant", isFine?: boolean): string;
  /** Returns a number compared with one of more decimal places than its type has. Absent: unchanged. */
  finer?(value: string): string;
  /** Returns a literal. @param text ISO: a day, or a time with a space; instants are in UTC without an offset */
  literal(text: string, type: "date" | "time" | "instant"): string;
};

const STATISTICS = {
  stddev: (value: string) => `stddev_samp(${value})`,
  stddev_pop: (value: string) => `stddev_pop(${value})`,
  variance: (value: string) => `var_samp(${value})`,
  var_pop: (value: string) => `var_pop(${value})`,
};

function isFloat(type: string): boolean {
  return /float|double|real/i.test(type);
}

/**
 * Returns the lower bound of a float's range. The bounds are the floats nearest to the multiples of the width, so that
 * comparisons with these find the same rows. Floats beyond the exact whole numbers are single.
 * @param double the database's name of the type
 */
function floatBin(value: string, width: string, double: string): string {
  const [whole = "0", places = ""] = width.split(".");
  const [step, scale] = [`${BigInt(whole + places)}.0`, `1${"0".repeat(places.length)}.0`];
  const wide = `cast(${value} as ${double})`;
  const count = `floor(${wide} * ${scale} / ${step})`;
  const bound = (moved: string) => `(cast(${count}${moved} as ${double}) * ${step} / ${scale})`;
  const limit = `${BigInt(Number.MAX_SAFE_INTEGER) / 10n ** BigInt(places.length)}.0`;
  const cases = [
    `when abs(${wide}) > ${limit} then ${wide}`,
    `when ${bound(" + 1")} <= ${wide} then ${bound(" + 1")}`,
    `when ${bound("")} > ${wide} then ${bound(" - 1")}`,
  ];
  return `(case ${cases.join(" ")} else ${bound("")} end)`;
}

/** The SQL of PostgreSQL and of databases with its grammar. */
export const STANDARD_METRICS: MetricSql = {
  divide: (left, right) => `(cast(${left} as numeric) / nullif(${right}, 0))`,
  concat: (values) => `concat(${values.join(", ")})`,
  types: {
    text: "varchar",
    integer: "bigint",
    decimal: "numeric",
    float: "double precision",
    boolean: "boolean",
    date: "date",
    timestamp: "timestamp",
  },
  functions: {
    round: (value, digits) =>
      digits === undefined ? `round(${value})` : `round(cast(${value} as numeric), ${digits})`,
  },
  aggregates: {
    avg: (value, distinct) => `avg(${distinct}${value})`,
    median: (value) => `percentile_cont(0.5) within group (order by ${value})`,
    ...STATISTICS,
  },
  part: (part, value) => `cast(extract(${part} from ${value}) as integer)`,
  truncate: (value, grain) => {
    const truncated = `date_trunc('${grain}', ${value})`;
    return grain === "hour" || grain === "minute" || grain === "second" ? truncated : `cast(${truncated} as date)`;
  },
  add: (value, count, unit) => `(${value} + interval '${count} ${unit}')`,
  toLocal: (instant, zone) => `(${instant} at time zone ${zone})`,
  toInstant: (local, zone) => `(cast(${local} as timestamp) at time zone ${zone})`,
  now: "now()",
  // A cast of a float to a decimal drops digits. Its text has all of them.
  bin: (value, width, type) =>
    `(floor(cast(${isFloat(type) ? `cast(${value} as varchar)` : value} as numeric) / ${width}) * ${width})`,
  literal: (text, type) =>
    type === "instant" ? `timestamptz '${text}+00'` : `${type === "date" ? "date" : "timestamp"} '${text}'`,
};

export const DUCKDB_METRICS: MetricSql = {
  ...STANDARD_METRICS,
  divide: (left, right) => `(cast(${left} as double) / nullif(${right}, 0))`,
  types: { ...STANDARD_METRICS.types, decimal: "decimal(38, 10)", float: "double" },
  functions: {},
  // Its division of decimals is one of doubles.
  bin: (value, width, type) => {
    // Its comparisons of a FLOAT are those of its digits.
    const wide = /^(?:float|real)/i.test(type) ? `cast(cast(${value} as varchar) as double)` : value;
    return isFloat(type)
      ? floatBin(wide, width, "double")
      : `(${value} - ((${value} % ${width}) + ${width}) % ${width})`;
  },
  aggregates: {
    avg: (value, distinct) => `avg(${distinct}${value})`,
    median: (value) => `quantile_cont(${value}, 0.5)`,
    ...STATISTICS,
  },
};

const MYSQL_DAYS: Readonly<Record<string, (value: string) => string>> = {
  second: (value) => `cast(date_format(${value}, '%Y-%m-%d %H:%i:%s') as datetime)`,
  minute: (value) => `cast(date_format(${value}, '%Y-%m-%d %H:%i:00') as datetime)`,
  hour: (value) => `cast(date_format(${value}, '%Y-%m-%d %H:00:00') as datetime)`,
  day: (value) => `date(${value})`,
  week: (value) => `date_sub(date(${value}), interval weekday(${value}) day)`,
  month: (value) => `cast(date_format(${value}, '%Y-%m-01') as date)`,
  quarter: (value) => `date_add(makedate(year(${value}), 1), interval 3 * (quarter(${value}) - 1) month)`,
  year: (value) => `makedate(year(${value}), 1)`,
};

export const MYSQL_METRICS: MetricSql = {
  divide: (left, right) => `((${left}) * 1e0 / nullif(${right}, 0))`,
  concat: (values) => `concat(${values.map((value) => `coalesce(${value}, '')`).join(", ")})`,
  types: {
    text: "char",
    integer: "signed",
    decimal: "decimal(38, 10)",
    float: "double",
    boolean: "signed",
    date: "date",
    timestamp: "datetime",
  },
  functions: { length: (value) => `char_length(${value})` },
  aggregates: {
    // The database's own AVG keeps four digits.
    avg: (value, distinct) => `(sum(${distinct}${value}) * 1e0 / nullif(count(${distinct}${value}), 0))`,
    ...STATISTICS,
  },
  part: (part, value) => (part === "week" ? `week(${value}, 3)` : `${part}(${value})`),
  truncate: (value, grain) => MYSQL_DAYS[grain]?.(value) ?? value,
  add: (value, count, unit) => `date_add(${value}, interval ${count} ${unit})`,
  now: "utc_timestamp()",
  instants: /^timestamp\b/i,
  // MariaDB rounds the bound of a MIN or MAX of an indexed column to the column's type.
  finer: (value) => `(${value} + 0)`,
  // Its division rounds to four more digits.
  bin: (value, width, type) =>
    isFloat(type) ? floatBin(value, width, "double") : `(${value} - mod(mod(${value}, ${width}) + ${width}, ${width}))`,
  literal: (text, type) => `${type === "date" ? "date" : "timestamp"} '${text}'`,
};

const SQLITE_DAYS: Readonly<Record<string, (value: string) => string>> = {
  second: (value) => `datetime(${value})`,
  minute: (value) => `strftime('%Y-%m-%d %H:%M:00', ${value})`,
  hour: (value) => `strftime('%Y-%m-%d %H:00:00', ${value})`,
  day: (value) => `date(${value})`,
  week: (value) => `date(${value}, 'weekday 0', '-6 days')`,
  month: (value) => `date(${value}, 'start of month')`,
  quarter: (value) =>
    `date(${value}, 'start of year', '+' || (3 * ((cast(strftime('%m', ${value}) as integer) - 1) / 3)) || ' months')`,
  year: (value) => `date(${value}, 'start of year')`,
};
const SQLITE_PARTS: Readonly<Record<string, string>> = {
  year: "%Y",
  month: "%m",
  week: "%V",
  day: "%d",
  hour: "%H",
  minute: "%M",
  second: "%S",
};

export const SQLITE_METRICS: MetricSql = {
  divide: (left, right) => `((${left}) * 1.0 / nullif(${right}, 0))`,
  concat: (values) => `(${values.map((value) => `coalesce(${value}, '')`).join(" || ")})`,
  types: {
    text: "text",
    integer: "integer",
    decimal: "numeric",
    float: "real",
    boolean: "integer",
    date: "text",
    timestamp: "text",
  },
  functions: {
    // The function with one value would be the aggregate.
    greatest: (...values) => (values.length === 1 ? (values[0] ?? "null") : `max(${values.join(", ")})`),
    least: (...values) => (values.length === 1 ? (values[0] ?? "null") : `min(${values.join(", ")})`),
    left: (value, count) => `substr(${value}, 1, ${count})`,
    right: (value, count) => `substr(${value}, -(${count}))`,
    substring: (...values) => `substr(${values.join(", ")})`,
  },
  aggregates: { avg: (value, distinct) => `avg(${distinct}${value})` },
  part: (part, value) =>
    part === "quarter"
      ? `((cast(strftime('%m', ${value}) as integer) + 2) / 3)`
      : `cast(strftime('${SQLITE_PARTS[part]}', ${value}) as integer)`,
  truncate: (value, grain) => SQLITE_DAYS[grain]?.(value) ?? value,
  add: (value, count, unit) => `datetime(${value}, '${count} ${unit}s')`,
  now: "datetime('now')",
  bin: (value, width) => floatBin(value, width, "real"),
  comparable: (value, type, isFine) =>
    type === "date" ? `date(${value})` : isFine ? `strftime('%Y-%m-%d %H:%M:%f', ${value})` : `datetime(${value})`,
  literal: (text) => `'${text}'`,
};
