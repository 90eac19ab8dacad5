import { REJECTED_CHARS_MAX } from "./limits.ts";
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

/** Returns the text of a cell in `textsSql`, NULL for a null word. */
export function textRef(index: number): string {
  return `t${index}`;
}

/**
 * Returns a source of the staged rows with lines, columns and their texts. The null words are in it once: a table may
 * have thousands of columns.
 */
export function textsSql(columns: readonly Pick<TypedColumn, "index" | "type">[], { nullWords }: Reading): string {
  const words = nullWords.filter((word) => word !== "");
  const texts = columns.flatMap(({ index, type }) => {
    const ref = columnRef(index);
    if (type === "source") return [ref];
    const plain = type === "text" && !nullWords.includes("") ? `coalesce(${ref}, '')` : ref;
    const known = words.length === 0 ? plain : `case when list_contains(words, ${ref}) then null else ${plain} end`;
    // An empty text in quotes is a text, but no number.
    const text = type === "text" ? known : `nullif(${known}, '')`;
    return [ref, `${text} as ${textRef(index)}`];
  });
  const list = words.length === 0 ? "" : `, (select [${words.map(quoteText).join(", ")}] as words)`;
  return `(select line${texts.map((text) => `, ${text}`).join("")} from rows${list})`;
}

/** Returns the typed value of a column in `textsSql`; NULL where the text is null or does not fit. */
export function valueSql({ index, type, precision, scale }: TypedColumn, reading: Reading): string {
  if (type === "source") return columnRef(index);
  if (type === "text") return textRef(index);
  return readSql(textRef(index), type, { precision, scale }, reading);
}

/** Returns whether a column's text in `textsSql` is not null and does not fit. */
export function misfitSql(column: TypedColumn, reading: Reading): string {
  if (column.type === "source" || column.type === "text") return "false";
  return `(${textRef(column.index)} is not null and ${valueSql(column, reading)} is null)`;
}

/** Returns the pattern of all numbers. */
export function numberPattern(decimal: "." | ","): string {
  const [point, group] = decimal === "." ? ["\\.", ","] : [",", "\\."];
  return `[+-]?([0-9]+|[0-9]{1,3}(${group}[0-9]{3})+)(${point}[0-9]+)?([eE][+-]?[0-9]+)?`;
}

/** Returns the digits of a number's plain text without zeros at both ends. */
function digitsSql(plain: string): string {
  return `trim(regexp_replace(split_part(lower(${plain}), 'e', 1), '[^0-9]', '', 'g'), '0')`;
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
  const [point, group] = decimal === "." ? ["\\.", ","] : [",", "\\."];
  const whole = `[+-]?([0-9]+|[0-9]{1,3}(${group}[0-9]{3})+)`;
  const plain = plainNumber(text, decimal);
  const { pattern, form } = DATE_PATTERNS[dateFormat];
  switch (type) {
    case "integer":
      return when(whole, `try_cast(${plain} as bigint)`);
    case "decimal": {
      // More digits would be rounded.
      const digits = scale === 0 ? "0+" : `[0-9]{1,${scale}}0*`;
      return when(`${whole}(${point}${digits})?`, `try_cast(${plain} as decimal(${precision},${scale}))`);
    }
    case "number": {
      const value = `try_cast(${plain} as double)`;
      const isExact = `${digitsSql(plain)} = ${digitsSql(`${value}::varchar`)}`;
      return when(numberPattern(decimal), `case when ${isExact} then ${value} end`);
    }
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

/**
 * Returns the select of the rows that fit.
 * @param misfits the columns that may reject a row
 */
export function acceptedRowsSql(
  columns: readonly TypedColumn[],
  misfits: readonly TypedColumn[],
  reading: Reading,
): string {
  const values = columns.map((column) => `${valueSql(column, reading)} as ${columnRef(column.index)}`);
  const where = misfits.length === 0 ? "" : ` where not (${anyMisfitSql(misfits, reading)})`;
  return `select ${values.join(", ")} from ${textsSql(columns, reading)}${where}`;
}

/** Returns whether a row has a misfit in one of the columns. */
export function anyMisfitSql(misfits: readonly TypedColumn[], reading: Reading): string {
  return misfits.map((column) => misfitSql(column, reading)).join(" or ") || "false";
}

const NOT_A: Readonly<Record<Exclude<ColumnType, "source" | "text">, string>> = {
  integer: "not a whole number",
  decimal: "not a decimal number",
  number: "not a number, or too many digits",
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

/**
 * Returns the select of all rejected rows: those that the reader refused, and those with a value that does not fit.
 * @param misfits the columns that may reject a row
 */
export function rejectedRowsSql(
  columns: readonly TypedColumn[],
  misfits: readonly (TypedColumn & { name: string })[],
  reading: Reading,
): string {
  const refused = "select line, problem, text from rejects";
  if (misfits.length === 0) return `${refused} order by line`;
  const problem = misfits
    .map((column) => `when ${misfitSql(column, reading)} then ${quoteText(misfitMessage(column))}`)
    .join(" ");
  const texts = columns.map(({ index }) => `${columnRef(index)}::varchar`).join(", ");
  return `${refused} union all select line, case ${problem} end, left(concat_ws(' | ', ${texts}), ${REJECTED_CHARS_MAX})
    from ${textsSql(columns, reading)} where ${anyMisfitSql(misfits, reading)} order by line`;
}
