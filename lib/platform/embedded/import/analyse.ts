import type { DuckDBConnection } from "@duckdb/node-api";
import {
  anyMisfitSql,
  columnRef,
  DECIMAL_DIGITS_MAX,
  dbTypeOf,
  isoDateSql,
  misfitMessage,
  misfitSql,
  numberPattern,
  plainNumber,
  quoteText,
  type Reading,
  textRef,
  textsSql,
  valueSql,
} from "./column-sql.ts";
import { MISFITS_SHARE_MAX, PROBLEMS_MAX, SAMPLE_ROWS } from "./limits.ts";
import type { AskedSettings, ColumnType, Correction, DateFormat, Problem, StagedColumn } from "./messages.ts";
import { candidateOf, detectDateFormat, detectDecimal, fits, MARKED, type Sample, sampleOf } from "./sample.ts";

/** Words that stand for a missing value where all others of a column fit a type. */
const NULL_WORDS = [
  "NULL",
  "null",
  "Null",
  "N/A",
  "n/a",
  "NA",
  "#N/A",
  "\\N",
  "None",
  "none",
  "nil",
  "-",
  "--",
  "?",
  "NaN",
];
/** Columns that one query measures: thousands of expressions in one take DuckDB's planner seconds. */
const COLUMNS_AT_ONCE = 8;
/** Cells of a sample: wide files have fewer rows in it. */
const SAMPLE_CELLS = 400_000;
const SAMPLE_ROWS_MIN = 200;
/** Columns that one query samples: each one that is read takes a block of 256 KiB. */
const SAMPLED_AT_ONCE = 256;
/** Columns without a value in the sample that are looked up one by one. */
const SPARSE_MAX = 50;
const SAFE_INTEGER_MAX = BigInt(Number.MAX_SAFE_INTEGER);
/** Problems of one kind that are listed one by one. */
const LISTED_MAX = 10;

/**
 * A column of the staged rows before its type is known. `declared` is the type in the file; null for texts. Numbers stay
 * texts where the file has them as texts (`isQuoted`).
 */
export type RawColumn = { index: number; name: string; declared: string | null; isQuoted?: boolean };

export type Analysis = {
  columns: StagedColumn[];
  reading: Reading;
  problems: Problem[];
  /** Columns with texts that do not fit. */
  misfits: StagedColumn[];
  rows: number;
  rejectedRows: number;
};

type Row = Record<string, unknown>;

/**
 * Chooses a type for each column and checks it on all rows.
 * @param asked the types and settings of a person, which are not replaced
 * @param prefersComma whether the file's delimiter suggests decimal commas
 */
export async function analyse(
  connection: DuckDBConnection,
  raw: readonly RawColumn[],
  asked: AskedSettings,
  prefersComma: boolean,
): Promise<Analysis> {
  const texts = raw.filter(({ declared }) => declared === null);
  const words = asked.nullWords ?? ["", ...NULL_WORDS];
  const samples = await sampleColumns(connection, texts, new Set(words));
  const decimal = asked.decimal ?? detectDecimal(samples.values(), prefersComma);
  const { dateFormat, isAmbiguous } = asked.dateFormat
    ? { dateFormat: asked.dateFormat, isAmbiguous: false }
    : detectDateFormat([...samples.values()]);
  const reading: Reading = { decimal, dateFormat, nullWords: words };
  const askedTypes = new Map((asked.columns ?? []).flatMap(({ index, type }) => (type ? [[index, type]] : [])));
  const columns = raw.map(({ index, name, declared, isQuoted }): StagedColumn => {
    const chosen = askedTypes.get(index);
    const sample = samples.get(index);
    const detected = sample ? candidateOf(sample, reading, isQuoted === true) : "source";
    const type: ColumnType = declared !== null ? "source" : (chosen ?? detected);
    return { index, name, type, precision: DECIMAL_DIGITS_MAX, scale: 0, dbType: declared ?? "" };
  });
  const checked = await checkColumns(connection, columns, reading, new Set(askedTypes.keys()));
  const problems = [...checked.problems];
  if (asked.nullWords === undefined) reading.nullWords = ["", ...checked.words];
  problems.push(
    ...leadingZeros(columns, samples, new Set(raw.flatMap(({ index, isQuoted }) => (isQuoted ? [index] : [])))),
  );
  if (isAmbiguous) problems.push(...ambiguousDates(columns, dateFormat));
  const known = checked.words.filter((word) => reading.nullWords.includes(word));
  problems.push(...(await wordsInTexts(connection, columns, known)));
  for (const column of columns) if (column.type !== "source") column.dbType = dbTypeOf(column);
  const counted = await countRows(connection, columns, checked.misfits, reading);
  return { columns, reading, problems, misfits: checked.misfits, ...counted };
}

async function sampleColumns(
  connection: DuckDBConnection,
  columns: readonly RawColumn[],
  words: ReadonlySet<string>,
): Promise<Map<number, Sample>> {
  const rows = Math.max(SAMPLE_ROWS_MIN, Math.min(SAMPLE_ROWS, Math.floor(SAMPLE_CELLS / Math.max(1, columns.length))));
  const read = async (part: readonly RawColumn[], from: string) => {
    const list = part.map(({ index }) => columnRef(index)).join(", ");
    const found = await connection.runAndReadAll(`select ${list} from ${from} limit ${rows}`);
    return found.getColumns() as (string | null)[][];
  };
  const samples = new Map<number, Sample>();
  for (const part of portions(columns, SAMPLED_AT_ONCE)) {
    const all = await read(part, "rows");
    for (const [place, { index }] of part.entries()) samples.set(index, sampleOf(all[place] ?? [], words));
  }
  // A column that is empty at first says nothing there.
  for (const column of columns.filter(({ index }) => samples.get(index)?.n === 0).slice(0, SPARSE_MAX)) {
    const [values] = await read([column], `rows where ${columnRef(column.index)} <> ''`);
    samples.set(column.index, sampleOf(values ?? [], words));
  }
  return samples;
}

/** Types to try when values do not fit; none of them loses anything. */
const NEXT_TYPE: Partial<Record<ColumnType, ColumnType>> = { integer: "decimal", decimal: "number" };

/** Checks the chosen types on all rows and replaces those that do not fit. Changes `columns`. */
async function checkColumns(
  connection: DuckDBConnection,
  columns: StagedColumn[],
  reading: Reading,
  chosen: ReadonlySet<number>,
): Promise<{ problems: Problem[]; misfits: StagedColumn[]; words: string[] }> {
  const problems: Problem[] = [];
  const misfits: StagedColumn[] = [];
  const words = new Set<string>();
  let open = columns.filter(({ type }) => type !== "text" && type !== "source");
  /** The type of a column with the fewest misfits so far. */
  const best = new Map<number, { type: ColumnType; row: Row }>();
  while (open.length > 0) {
    const again: StagedColumn[] = [];
    await setDigits(connection, open, reading);
    for (const part of portions(open)) {
      const selected = part.flatMap((column) => checkSql(column, reading));
      const [row = {}] = await allRows(connection, `select ${selected.join(", ")} from ${textsSql(part, reading)}`);
      for (const column of part) {
        const { index } = column;
        const isChosen = chosen.has(index);
        if (Number(row[`marked_${index}`]) > 0 && !isChosen) {
          column.type = "text";
          problems.push(keptAsText(column, String(row[`markedText_${index}`])));
          continue;
        }
        const misfitsOf = (found: Row) => Number(found[`bad_${index}`]);
        const known = best.get(index);
        if (!known || misfitsOf(row) < misfitsOf(known.row)) best.set(index, { type: column.type, row });
        const next = NEXT_TYPE[column.type];
        if (misfitsOf(row) > 0 && !isChosen && next !== undefined) {
          column.type = next;
          again.push(column);
          continue;
        }
        const { type, row: found } = best.get(index) ?? { type: column.type, row };
        column.type = type;
        const get = (name: string) => found[`${name}_${index}`];
        const bad = misfitsOf(found);
        // A number that no type holds is not a mistake in the file.
        if (!isChosen && (Number(get("wide")) > 0 || bad > Number(get("n")) * MISFITS_SHARE_MAX)) {
          column.type = "text";
          continue;
        }
        for (const word of (get("words") as { items?: unknown[] } | null)?.items ?? []) words.add(String(word));
        if (bad > 0) {
          misfits.push(column);
          problems.push(misfitProblem(column, found));
        }
        problems.push(...warningsOf(column, found, reading));
      }
    }
    open = again;
  }
  return { problems, misfits, words: [...words].filter((word) => word !== "") };
}

/** Sets the digits of decimals, and of digits after the point as many as fit. */
async function setDigits(
  connection: DuckDBConnection,
  columns: readonly StagedColumn[],
  reading: Reading,
): Promise<void> {
  const decimals = columns.filter(({ type }) => type === "decimal");
  for (const part of portions(decimals)) {
    const selected = part.flatMap((column) => {
      const plain = plainNumber(textRef(column.index), reading.decimal);
      const isNumber = `regexp_full_match(${plain}, '[+-]?[0-9]+(\\.[0-9]+)?')`;
      return [
        `max(length(ltrim(split_part(${plain}, '.', 1), '+-'))) filter (${isNumber}) as whole_${column.index}`,
        `max(length(split_part(${plain}, '.', 2))) filter (${isNumber}) as scale_${column.index}`,
      ];
    });
    const [row = {}] = await allRows(connection, `select ${selected.join(", ")} from ${textsSql(part, reading)}`);
    for (const column of part) {
      const whole = Math.min(Number(row[`whole_${column.index}`] ?? 1), DECIMAL_DIGITS_MAX);
      column.scale = Math.min(Number(row[`scale_${column.index}`] ?? 0), DECIMAL_DIGITS_MAX - whole);
      column.precision = Math.max(whole + column.scale, 1);
    }
  }
}

function checkSql(column: StagedColumn, reading: Reading): string[] {
  const { index, type } = column;
  const text = textRef(index);
  const value = valueSql(column, reading);
  const misfit = misfitSql(column, reading);
  const ref = columnRef(index);
  const parts: Record<string, string> = {
    n: `count(${text})`,
    bad: `count_if(${misfit})`,
    first: `min(line) filter (${misfit})`,
    last: `max(line) filter (${misfit})`,
    sample: `arg_min(${ref}, line) filter (${misfit})`,
    words: `array_agg(distinct ${ref}) filter (${ref} in (${NULL_WORDS.map(quoteText).join(", ")}))`,
  };
  if (type === "integer" || type === "decimal" || type === "number") {
    parts.wide = `count_if(${misfit} and regexp_full_match(${text}, ${quoteText(numberPattern(reading.decimal))}))`;
  }
  if (type === "integer" || type === "decimal") {
    const marked = `regexp_full_match(${text}, ${quoteText(MARKED)})`;
    Object.assign(parts, {
      marked: `count_if(${marked})`,
      markedText: `any_value(${text}) filter (${marked})`,
      most: `max(${value})`,
      least: `min(${value})`,
      mostText: `arg_max(${text}, ${value})`,
    });
  }
  if ((type === "date" || type === "timestamp") && reading.dateFormat !== "YYYY-MM-DD") {
    const iso = isoDateSql(text);
    Object.assign(parts, {
      iso: `count_if(${iso})`,
      isoFirst: `min(line) filter (${iso})`,
      isoLast: `max(line) filter (${iso})`,
      isoText: `arg_min(${text}, line) filter (${iso})`,
    });
  }
  return Object.entries(parts).map(([name, sql]) => `${sql} as ${name}_${index}`);
}

function misfitProblem(column: StagedColumn, row: Row): Problem {
  const get = (name: string) => row[`${name}_${column.index}`];
  const rows = Number(get("bad"));
  return {
    severity: "rejected",
    message: misfitMessage(column),
    column: column.index,
    line: Number(get("first")),
    lastLine: Number(get("last")),
    rows,
    text: shortText(get("sample")),
    correction: toType(column, "text"),
  };
}

function warningsOf(column: StagedColumn, row: Row, reading: Reading): Problem[] {
  const get = (name: string) => row[`${name}_${column.index}`];
  const problems: Problem[] = [];
  const size = (value: unknown) => {
    const whole = BigInt(String(value ?? 0).replace(/\..*/, "") || "0");
    return whole < 0n ? -whole : whole;
  };
  const isWhole = column.type === "integer" || (column.type === "decimal" && column.scale === 0);
  if (isWhole && (size(get("most")) > SAFE_INTEGER_MAX || size(get("least")) > SAFE_INTEGER_MAX)) {
    problems.push({
      ...ofFile("warning", `${column.name}: above 2^53, kept exact`),
      column: column.index,
      text: shortText(get("mostText")),
      correction: toType(column, "text"),
    });
  }
  const iso = Number(get("iso") ?? 0);
  if (iso > 0 && iso < Number(get("n"))) {
    problems.push({
      severity: "warning",
      message: `${column.name}: a second date form beside ${reading.dateFormat}`,
      column: column.index,
      line: Number(get("isoFirst")),
      lastLine: Number(get("isoLast")),
      rows: iso,
      text: shortText(get("isoText")),
      correction: toType(column, "text"),
    });
  }
  return problems;
}

function leadingZeros(
  columns: readonly StagedColumn[],
  samples: ReadonlyMap<number, Sample>,
  quoted: ReadonlySet<number>,
): Problem[] {
  return columns.flatMap((column) => {
    if (quoted.has(column.index)) return [];
    const sample = samples.get(column.index);
    const isCode = sample && sample.marked > 0 && fits(sample.integers, sample) && column.type === "text";
    return isCode ? [keptAsText(column, sample.markedText)] : [];
  });
}

function keptAsText(column: StagedColumn, text: string): Problem {
  return {
    ...ofFile("warning", `${column.name}: kept as text, ${text.startsWith("+") ? "plus signs" : "leading zeros"}`),
    column: column.index,
    text: shortText(text),
    correction: toType(column, "integer"),
  };
}

function ambiguousDates(columns: readonly StagedColumn[], dateFormat: DateFormat): Problem[] {
  const other = dateFormat.startsWith("DD") ? dateFormat.replace("DD", "MM").replace(/MM(.)MM/, "MM$1DD") : null;
  return columns
    .filter(({ type }) => type === "date" || type === "timestamp")
    .slice(0, 1)
    .map((column) => ({
      ...ofFile("warning", `Dates read as ${dateFormat}; every day is also a month`),
      column: column.index,
      correction: other === null ? null : { kind: "dateFormat", value: other as DateFormat },
    }));
}

/** Reports texts that are read as NULL although their column has texts: "NA" may be a country. */
async function wordsInTexts(
  connection: DuckDBConnection,
  columns: readonly StagedColumn[],
  words: readonly string[],
): Promise<Problem[]> {
  if (words.length === 0) return [];
  const texts = columns.filter(({ type }) => type === "text");
  const problems: Problem[] = [];
  const list = words.map(quoteText).join(", ");
  for (const part of portions(texts)) {
    const selected = part.flatMap(({ index }) => {
      const isWord = `${columnRef(index)} in (${list})`;
      return [
        `count_if(${isWord}) as count_${index}`,
        `min(line) filter (${isWord}) as first_${index}`,
        `max(line) filter (${isWord}) as last_${index}`,
        `any_value(${columnRef(index)}) filter (${isWord}) as text_${index}`,
      ];
    });
    const [row = {}] = await allRows(connection, `select ${selected.join(", ")} from rows`);
    for (const { index, name } of part) {
      const rows = Number(row[`count_${index}`]);
      if (rows === 0) continue;
      const text = String(row[`text_${index}`]);
      problems.push({
        severity: "warning",
        message: `${name}: "${text}" is read as NULL`,
        column: index,
        line: Number(row[`first_${index}`]),
        lastLine: Number(row[`last_${index}`]),
        rows,
        text,
        correction: { kind: "nullWords", values: ["", ...words.filter((word) => word !== text)] },
      });
    }
  }
  return problems;
}

async function countRows(
  connection: DuckDBConnection,
  columns: readonly StagedColumn[],
  misfits: readonly StagedColumn[],
  reading: Reading,
): Promise<{ rows: number; rejectedRows: number }> {
  const [row = {}] = await allRows(
    connection,
    `select count(*) as n, count_if(${anyMisfitSql(misfits, reading)}) as bad,
     (select count(*) from rejects) as refused from ${textsSql(misfits, reading)}`,
  );
  const misfitRows = Number(row.bad);
  return {
    rows: columns.length === 0 ? 0 : Number(row.n) - misfitRows,
    rejectedRows: misfitRows + Number(row.refused),
  };
}

/** Returns the problems of the records that the reader refused. */
export async function refusedProblems(connection: DuckDBConnection): Promise<Problem[]> {
  const groups = await allRows(
    connection,
    `select problem, count(*) as n, min(line) as first, max(line) as last, arg_min(text, line) as text from rejects
     group by problem order by first limit ${PROBLEMS_MAX}`,
  );
  const problems: Problem[] = [];
  for (const group of groups) {
    const rows = Number(group.n);
    const each =
      rows > LISTED_MAX
        ? [{ line: group.first, last: group.last, text: group.text, rows }]
        : (
            await allRows(
              connection,
              `select line, text from rejects where problem = ${quoteText(String(group.problem))} order by line`,
            )
          ).map(({ line, text }) => ({ line, last: line, text, rows: 1 }));
    for (const { line, last, text, rows: count } of each) {
      problems.push({
        severity: "rejected",
        message: String(group.problem),
        column: null,
        line: Number(line),
        lastLine: Number(last),
        rows: count,
        text: shortText(text),
        correction: correctionOf(String(group.problem)),
      });
    }
  }
  return problems;
}

function correctionOf(problem: string): Correction | null {
  if (problem.startsWith("Quote opened") || problem.startsWith("Text after")) return { kind: "quote", value: "" };
  return problem.startsWith("Not valid UTF-8") ? { kind: "encoding", value: "windows-1252" } : null;
}

/** Returns a problem of the whole file. */
export function ofFile(severity: Problem["severity"], message: string): Problem {
  return { severity, message, column: null, line: null, lastLine: null, rows: 0, text: "", correction: null };
}

function toType({ index }: StagedColumn, type: ColumnType): Correction {
  return { kind: "type", column: index, type };
}

const TEXT_CHARS_MAX = 200;

function shortText(value: unknown): string {
  return String(value ?? "").slice(0, TEXT_CHARS_MAX);
}

/** Returns the rows of a query as objects. */
export async function allRows(connection: DuckDBConnection, sql: string): Promise<Row[]> {
  return (await connection.runAndReadAll(sql)).getRowObjects();
}

export function portions<T>(all: readonly T[], size = COLUMNS_AT_ONCE): T[][] {
  const parts: T[][] = [];
  for (let from = 0; from < all.length; from += size) parts.push(all.slice(from, from + size));
  return parts;
}
