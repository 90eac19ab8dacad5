import type { ColumnType, DateFormat, Settings, StagedColumn } from "./messages.ts";

/*
 * SQL that reads the texts of staged rows as typed values. A text that does not fit is NULL in `valueSql`, and true in
 * `misfitSql`: nothing is rounded, cut or guessed.
 */

/** The settings that decide how texts are read. */
export type Reading = Pick<Settings, "decimal" | "dateFormat" | "nullWords">;
export type TypedColumn = Pick<StagedColumn, "index" | "type" | "precision" | "scale">;

/** Digits that a decimal holds. */
export const DECIMAL_DIGITS_MAX = 38;

const DATE_PATTERNS: Readonly<Record<DateFormat, { pattern: string; form: string }>> = {
  "YYYY-MM-DD": { pattern: "[0-9]{4}-[0-9]{2}-[0-9]{2}", form: "%Y-%m-%d" },
  "DD/MM/YYYY": { pattern: "[0-9]{1,2}/[0-9]{1,2}/[0-9]{4}", form: "%d/%m/%Y" },
  "MM/DD/YYYY": { pattern: "[0-9]{1,2}/[0-9]{1,2}/[0-9]{4}", form: "%m/%d/%Y" },
  "DD.MM.YYYY": { pattern: "[0-9]{1,2}\\.[0-9]{1,2}\\.[0-9]{4}", form: "%d.%m.%Y" },
  "DD-MM-YYYY": { pattern: "[0-9]{1,2}-[0-9]{1,2}-[0-9]{4}", form: "%d-%m-%Y" },
  "MM-DD-YYYY": { pattern: "[0-9]{1,2}-[0-9]{1,2}-[0-9]{4}", form: "%m-%d-%Y" },
  "YYYY/MM/DD": { pattern: "[0-9]{4}/[0-9]{1,2}/[0-9]{1,2}", form: "%Y/%m/%d" },
};
const CLOCK = "[0-9]{1,2}:[0-9]{2}(:[0-9]{2}(\\.[0-9]{1,6})?)?";
const ISO = DATE_PATTERNS["YYYY-MM-DD"].pattern;

export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

export function quoteText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

export function columnRef(index: number): string {
  return `c${index}`;
}

/** Returns the text of a cell, NULL for a null word. */
export function textSql(index: number, { nullWords }: Reading, isTyped: boolean): string {
  const ref = columnRef(index);
  // An empty text in quotes is a text, but no number.
  const words = isTyped ? [...new Set(["", ...nullWords])] : nullWords.filter((word) => word !== "");
  const text =
    words.length === 0 ? ref : `case when ${ref} in (${words.map(quoteText).join(", ")}) then null else ${ref} end`;
  return isTyped || nullWords.includes("") ? text : `coalesce(${text}, '')`;
}

/** Returns the typed value of a column; NULL where the text is null or does not fit. */
export function valueSql({ index, type, precision, scale }: TypedColumn, reading: Reading): string {
  if (type === "source") return columnRef(index);
  if (type === "text") return textSql(index, reading, false);
  const text = textSql(index, reading, true);
  return readSql(text, type, { precision, scale }, reading);
}

/** Returns whether a column's text is not null and does not fit. */
export function misfitSql(column: TypedColumn, reading: Reading): string {
  if (column.type === "source" || column.type === "text") return "false";
  return `(${textSql(column.index, reading, true)} is not null and ${valueSql(column, reading)} is null)`;
}

/** Returns the SQL of a text's value in a type; NULL where it does not fit. */
export function readSql(
  text: string,
  type: Exclude<ColumnType, "source" | "text">,
  { precision, scale }: { precision: number; scale: number },
  { decimal, dateFormat }: Reading,
): string {
  const when = (pattern: string, value: string) =>
    `case when regexp_full_match(${text}, ${quoteText(pattern)}) then ${value} end`;
  const group = decimal === "." ? "," : "\\.";
  const whole = `[+-]?([0-9]+|[0-9]{1,3}(${group}[0-9]{3})+)`;
  const plain = plainNumber(text, decimal);
  const { pattern, form } = DATE_PATTERNS[dateFormat];
  switch (type) {
    case "integer":
      return when(whole, `try_cast(${plain} as bigint)`);
    case "decimal":
      return when(
        `${whole}(${decimal === "." ? "\\." : ","}[0-9]+)?`,
        `try_cast(${plain} as decimal(${precision},${scale}))`,
      );
    case "number":
      return when(
        `${whole}(${decimal === "." ? "\\." : ","}[0-9]+)?([eE][+-]?[0-9]{1,3})?`,
        `try_cast(${plain} as double)`,
      );
    case "boolean":
      return `case lower(${text}) when 'true' then true when 'false' then false end`;
    case "date":
      return `case when regexp_full_match(${text}, ${quoteText(pattern)}) then try_strptime(${text}, ${quoteText(form)})::date${
        pattern === ISO ? "" : ` when regexp_full_match(${text}, ${quoteText(ISO)}) then try_cast(${text} as date)`
      } end`;
    case "timestamp": {
      const forms = ["", " %H:%M", " %H:%M:%S", " %H:%M:%S.%f"].map((clock) => quoteText(form + clock)).join(", ");
      const local = `when regexp_full_match(${text}, ${quoteText(`${pattern}( ${CLOCK})?`)}) then try_strptime(${text}, [${forms}])`;
      const iso = `when regexp_full_match(${text}, ${quoteText(`${ISO}([ T]${CLOCK})?`)}) then try_cast(${text} as timestamp)`;
      return `case ${pattern === ISO ? "" : `${local} `}${iso} end`;
    }
    case "timestamptz":
      return when(`${ISO}[ T]${CLOCK} ?(Z|[+-][0-9]{2}(:?[0-9]{2})?)`, `try_cast(${text} as timestamptz)`);
    case "time":
      return when(CLOCK, `try_cast(${text} as time)`);
  }
}

/** Returns whether a text starts with a date in ISO form. */
export function isoDateSql(text: string): string {
  return `regexp_matches(${text}, ${quoteText(`^${ISO}`)})`;
}

/** Returns a number's text without group separators, with a decimal point. */
export function plainNumber(text: string, decimal: "." | ","): string {
  return decimal === "." ? `replace(${text}, ',', '')` : `replace(replace(${text}, '.', ''), ',', '.')`;
}

/** Returns a type of the table in SQL. */
export function dbTypeOf({ type, precision, scale }: Omit<TypedColumn, "index">): string {
  const types: Readonly<Record<Exclude<ColumnType, "source">, string>> = {
    text: "VARCHAR",
    integer: "BIGINT",
    decimal: `DECIMAL(${precision},${scale})`,
    number: "DOUBLE",
    boolean: "BOOLEAN",
    date: "DATE",
    timestamp: "TIMESTAMP",
    timestamptz: "TIMESTAMP WITH TIME ZONE",
    time: "TIME",
  };
  return type === "source" ? "" : types[type];
}

/** Returns the select of the rows that fit. */
export function acceptedRowsSql(
  from: string,
  columns: readonly (TypedColumn & { name: string })[],
  reading: Reading,
): string {
  const values = columns.map((column) => `${valueSql(column, reading)} as ${quoteName(column.name)}`);
  return `select ${values.join(", ")} from ${from}${whereFits(columns, reading)}`;
}

function whereFits(columns: readonly TypedColumn[], reading: Reading): string {
  const misfits = misfitsOf(columns, reading);
  return misfits.length === 0 ? "" : ` where not (${misfits.join(" or ")})`;
}

/** Returns the conditions of the columns that may reject a row. */
export function misfitsOf(columns: readonly TypedColumn[], reading: Reading): string[] {
  return columns.map((column) => misfitSql(column, reading)).filter((sql) => sql !== "false");
}

const NOT_A: Readonly<Record<Exclude<ColumnType, "source" | "text">, string>> = {
  integer: "not a whole number",
  decimal: "not a decimal number",
  number: "not a number",
  boolean: "not true or false",
  date: "not a date",
  timestamp: "not a timestamp",
  timestamptz: "not a timestamp with time zone",
  time: "not a time",
};

/** Returns the problem of a text that does not fit. */
export function misfitMessage({ name, type }: { name: string; type: ColumnType }): string {
  return type === "source" || type === "text" ? name : `${name}: ${NOT_A[type]}`;
}

/** Returns the select of all rejected rows: those that the reader refused, and those with a value that does not fit. */
export function rejectedRowsSql(
  schema: string,
  columns: readonly (TypedColumn & { name: string })[],
  reading: Reading,
): string {
  const refused = `select line, problem, text from ${schema}rejects`;
  const typed = columns.filter((column) => misfitSql(column, reading) !== "false");
  if (typed.length === 0) return `${refused} order by line`;
  const problem = typed
    .map((column) => `when ${misfitSql(column, reading)} then ${quoteText(misfitMessage(column))}`)
    .join(" ");
  const texts = columns.map(({ index }) => `${columnRef(index)}::varchar`).join(", ");
  const misfits = misfitsOf(columns, reading).join(" or ");
  return `${refused} union all select line, case ${problem} end, left(concat_ws(' | ', ${texts}), 500) from ${schema}rows where ${misfits} order by line`;
}
