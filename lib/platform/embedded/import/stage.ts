import { readdirSync, rmSync } from "node:fs";
import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import { allRows, analyse, ofFile, portions, type RawColumn, refusedProblems } from "./analyse.ts";
import { acceptedRowsSql, quoteText, type Reading, rejectedRowsSql, textsSql, valueSql } from "./column-sql.ts";
import { detectFormat } from "./detect.ts";
import {
  IMPORT_MEMORY_LIMIT,
  IMPORT_THREADS,
  PREVIEW_CELL_CHARS_MAX,
  PREVIEW_CELLS_MAX,
  PREVIEW_CHARS_MAX,
  PREVIEW_ROWS,
  PROBLEMS_MAX,
} from "./limits.ts";
import {
  ACCEPTED_VIEW,
  type FileFormat,
  type ImportJob,
  type ImportMessage,
  type Problem,
  REJECTED_FILE,
  REJECTED_TABLE,
  type Settings,
  SOURCE_FILE,
  STAGED_FILE,
  type StagedColumn,
  type StagedFile,
} from "./messages.ts";
import { Unreadable } from "./scan.ts";
import { stageJson } from "./stage-json.ts";
import { readHead, stageDelimited } from "./stage-text.ts";
import { stageArrow, stageParquet } from "./stage-typed.ts";
import { stageXlsx } from "./stage-xlsx.ts";

const DEFAULTS: Omit<Settings, "format"> = {
  delimiter: ",",
  quote: '"',
  encoding: "utf-8",
  header: true,
  skip: 0,
  decimal: ".",
  dateFormat: "YYYY-MM-DD",
  nullWords: [""],
  sheet: null,
};

type Source = {
  settings: Partial<Settings>;
  sheets: string[];
  columns: RawColumn[];
  raw: string[];
  problems: Problem[];
};

/**
 * Reads the upload in the working folder into a DuckDB file beside it, with a type for each column that was checked on
 * all rows.
 * @throws Unreadable with a sentence for the user
 */
export async function stageFile(job: ImportJob, send: (message: ImportMessage) => void): Promise<StagedFile> {
  removeStaged();
  const instance = await DuckDBInstance.create(STAGED_FILE, {
    memory_limit: IMPORT_MEMORY_LIMIT,
    max_temp_directory_size: `${job.stagedBytesMax}B`,
    threads: String(IMPORT_THREADS),
    autoinstall_known_extensions: "false",
    autoload_known_extensions: "false",
    allow_community_extensions: "false",
    allow_persistent_secrets: "false",
  });
  const connection = await instance.connect();
  try {
    await connection.run("set TimeZone = 'UTC'");
    await connection.run(`set allowed_directories = [${quoteText(`${process.cwd()}/`)}]`);
    await connection.run("set enable_external_access = false");
    const format = job.settings.format ?? detectFormat(readHead(), job.name);
    const source = await readSource(connection, format, job, (bytes, rows) =>
      send({ type: "progress", stage: "read", bytes, rows }),
    );
    const [{ n: rows } = { n: 0 }] = await allRows(connection, "select count(*) as n from rows");
    send({ type: "progress", stage: "check", bytes: 0, rows: Number(rows) });
    const staged = await describeRows(connection, format, job, source);
    await connection.run("checkpoint");
    return staged;
  } catch (error) {
    if (isTooLarge(error)) throw new Unreadable(tooLargeMessage(job.stagedBytesMax), { cause: error });
    throw error;
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

/** Returns whether the kernel refused to let a file grow, or DuckDB its temporary files. */
function isTooLarge(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return /EFBIG|File too large|max_temp_directory_size/.test(error.message) || isTooLarge(error.cause);
}

function tooLargeMessage(bytes: number): string {
  const mib = Math.floor(bytes / 1024 / 1024).toLocaleString("en");
  return `The file takes more than ${mib} MiB once unpacked. Split it.`;
}

async function readSource(
  connection: DuckDBConnection,
  format: FileFormat,
  { settings, recordBytesMax }: ImportJob,
  progress: (bytes: number, rows: number) => void,
): Promise<Source> {
  const none = { settings: {}, sheets: [], raw: [], problems: [] };
  switch (format) {
    case "csv":
      return {
        ...none,
        ...(await stageDelimited(connection, settings, { ...(recordBytesMax && { recordBytesMax }), progress })),
      };
    case "xlsx": {
      const { sheet, header, ...rest } = await stageXlsx(connection, settings, (rows) => progress(0, rows));
      return { ...none, ...rest, settings: { sheet, header } };
    }
    case "json":
    case "ndjson": {
      const { encoding, ...rest } = await stageJson(connection, format, settings.encoding, progress);
      return { ...none, ...rest, settings: { encoding } };
    }
    case "parquet":
      return { ...none, columns: await stageParquet(connection) };
    case "arrow":
      return { ...none, columns: await stageArrow(connection, (rows) => progress(0, rows)) };
  }
}

async function describeRows(
  connection: DuckDBConnection,
  format: FileFormat,
  { settings: asked }: ImportJob,
  source: Source,
): Promise<StagedFile> {
  const prefersComma = format === "csv" && source.settings.delimiter === ";";
  const { columns, reading, problems, misfits, rows, rejectedRows } = await analyse(
    connection,
    source.columns,
    asked,
    prefersComma,
  );
  for (const { index, name } of asked.columns ?? []) {
    const column = columns.find((each) => each.index === index);
    if (column && name !== undefined) column.name = name;
  }
  const all = [...(await refusedProblems(connection)), ...problems, ...source.problems];
  if (rows + rejectedRows === 0) all.push(ofFile("warning", "The file has no rows below its header"));
  const preview = await readPreview(connection, columns, reading);
  await connection.run(`create view ${ACCEPTED_VIEW} as ${acceptedRowsSql(columns, misfits, reading)}`);
  if (rejectedRows > 0) {
    await connection.run(`create table ${REJECTED_TABLE} as ${rejectedRowsSql(columns, misfits, reading)}`);
    await connection.run(`copy ${REJECTED_TABLE} to ${quoteText(REJECTED_FILE)} (header, delimiter ',')`);
  }
  return {
    settings: { ...DEFAULTS, ...source.settings, ...reading, format },
    sheets: source.sheets,
    columns,
    preview,
    raw: source.raw,
    rows,
    rejectedRows,
    problems: all.sort(bySeverity).slice(0, PROBLEMS_MAX),
  };
}

/** Columns of a preview that one query reads. */
const SHOWN_AT_ONCE = 64;

/** Reads the first rows, as many as the limits of a preview allow, at least one. */
async function readPreview(
  connection: DuckDBConnection,
  columns: readonly StagedColumn[],
  reading: Reading,
): Promise<StagedFile["preview"]> {
  const width = Math.max(1, columns.length);
  const rows = Math.min(PREVIEW_ROWS, Math.floor(PREVIEW_CELLS_MAX / width));
  const cellChars = Math.min(PREVIEW_CELL_CHARS_MAX, Math.floor(PREVIEW_CHARS_MAX / width));
  const lines = await allRows(connection, `select line::varchar as line from rows order by rows.line limit ${rows}`);
  const preview = lines.map(({ line }) => ({ line: Number(line), values: [] as (string | null)[] }));
  const last = preview.at(-1)?.line ?? 0;
  for (const part of portions(columns, SHOWN_AT_ONCE)) {
    const values = part.map((column) => `left((${valueSql(column, reading)})::varchar, ${cellChars})`);
    const found = await connection.runAndReadAll(
      `select ${values.join(", ")} from ${textsSql(part, reading)} where line <= ${last} order by line limit ${rows}`,
    );
    found.getRows().forEach((cells, row) => {
      preview[row]?.values.push(...cells.map((cell) => (cell === null ? null : String(cell))));
    });
  }
  let chars = 0;
  const shown = preview.filter(({ values }) => {
    chars += values.reduce((sum, value) => sum + (value?.length ?? 0), 0);
    return chars <= PREVIEW_CHARS_MAX;
  });
  return shown.length > 0 ? shown : preview.slice(0, 1);
}

function bySeverity(one: Problem, other: Problem): number {
  const rank = ({ severity }: Problem) => (severity === "rejected" ? 0 : 1);
  return rank(one) - rank(other);
}

/** Removes what an earlier reading has left. */
function removeStaged(): void {
  for (const name of readdirSync(".")) {
    if (name !== SOURCE_FILE && !KEPT.test(name)) rmSync(name, { recursive: true, force: true });
  }
}

/** Files of the server in the folder. */
const KEPT = /\.json$/;
