import { createReadStream } from "node:fs";
import type { DuckDBConnection } from "@duckdb/node-api";
import type { DataType, RecordBatch, Vector } from "apache-arrow";
import { allRows, type RawColumn } from "./analyse.ts";
import { columnRef, quoteName, quoteText } from "./column-sql.ts";
import { SOURCE_FILE } from "./messages.ts";
import { Unreadable } from "./scan.ts";
import { nameColumns, stageRows, tooWide } from "./stage-text.ts";

/** Reads a Parquet file into the tables `rows` and `rejects`; its columns keep their types. @throws Unreadable */
export async function stageParquet(connection: DuckDBConnection): Promise<RawColumn[]> {
  const source = `read_parquet(${quoteText(SOURCE_FILE)})`;
  const described = await allRows(connection, `describe select * from ${source}`).catch((error: unknown) => {
    throw new Unreadable("The file is not valid Parquet. Choose another file.", { cause: error });
  });
  const refusal = tooWide(described.length);
  if (refusal !== null) throw new Unreadable(refusal);
  const names = described.map(({ column_name }) => String(column_name));
  const columns = nameColumns(names, names.length).columns.map((column, index) => ({
    ...column,
    declared: String(described[index]?.column_type),
  }));
  const values = names.map((name, index) => `${quoteName(name)} as ${columnRef(index)}`);
  try {
    await connection.run(`
      create table rows as select file_row_number + 1 as line, ${values.join(", ")}
      from read_parquet(${quoteText(SOURCE_FILE)}, file_row_number = true)`);
  } catch (error) {
    throw new Unreadable("The Parquet file is damaged. Choose another file.", { cause: error });
  }
  await connection.run("create table rejects (line bigint, problem varchar, text varchar)");
  return columns;
}

/** Reads an Arrow file or stream into the tables `rows` and `rejects`; its columns keep their types. @throws Unreadable */
export async function stageArrow(connection: DuckDBConnection, progress: (rows: number) => void): Promise<RawColumn[]> {
  const { RecordBatchReader } = await import("apache-arrow");
  try {
    const reader = await RecordBatchReader.from(createReadStream(SOURCE_FILE));
    await reader.open();
    const { fields } = reader.schema;
    const refusal = tooWide(fields.length);
    if (refusal !== null) throw new Unreadable(refusal);
    const { columns } = nameColumns(
      fields.map(({ name }) => name),
      fields.length,
    );
    const kinds = await Promise.all(fields.map(({ type }) => kindOf(type)));
    let line = 0;
    await stageRows(connection, fields.length, async (put) => {
      for await (const batch of reader as AsyncIterable<RecordBatch>) {
        const vectors = fields.map((_, index) => batch.getChildAt(index));
        for (let row = 0; row < batch.numRows; row += 1) {
          line += 1;
          put(
            line,
            vectors.map((vector, index) => textAt(vector, row, kinds[index])),
          );
        }
        progress(line);
      }
    });
    const casts = kinds.map(({ cast }, index) => `${cast(columnRef(index))} as ${columnRef(index)}`);
    await connection.run(`create table typed as select line, ${casts.join(", ")} from rows`);
    await connection.run("drop table rows");
    await connection.run("alter table typed rename to rows");
    return columns.map((column, index) => ({ ...column, declared: kinds[index]?.dbType ?? "VARCHAR" }));
  } catch (error) {
    if (error instanceof Unreadable) throw error;
    const isCompressed = error instanceof Error && /compress|codec/i.test(error.message);
    throw new Unreadable(
      isCompressed
        ? "The Arrow file is compressed with a codec that can't be read. Save it without compression."
        : "The file is not valid Arrow. Choose another file.",
      { cause: error },
    );
  }
}

type Kind = { dbType: string; text: (value: unknown) => string; cast: (ref: string) => string };

function textAt(vector: Vector | null, row: number, kind: Kind | undefined): string | null {
  const value: unknown = vector?.get(row);
  return value === null || value === undefined || !kind ? null : kind.text(value);
}

/** Returns how values of an Arrow type are written as text, and read as a type of DuckDB without loss. */
async function kindOf(type: DataType): Promise<Kind> {
  const { DataType: Types, TimeUnit } = await import("apache-arrow");
  const as = (dbType: string, text: (value: unknown) => string = String): Kind => ({
    dbType,
    text,
    cast: (ref) => `cast(${ref} as ${dbType})`,
  });
  if (Types.isDictionary(type)) return kindOf(type.dictionary);
  if (Types.isInt(type)) return as(type.bitWidth === 64 && !type.isSigned ? "UBIGINT" : "BIGINT");
  if (Types.isFloat(type)) return as("DOUBLE");
  if (Types.isBool(type)) return as("BOOLEAN");
  if (Types.isUtf8(type) || Types.isLargeUtf8(type)) return as("VARCHAR");
  if (Types.isDate(type)) return as("DATE", (value) => new Date(Number(value)).toISOString().slice(0, 10));
  if (Types.isDecimal(type)) {
    return as(`DECIMAL(${type.precision},${type.scale})`, (value) => decimalText(value as Uint32Array, type.scale));
  }
  if (Types.isBinary(type) || Types.isLargeBinary(type) || Types.isFixedSizeBinary(type)) {
    const text = (value: unknown) => Buffer.from(value as Uint8Array).toString("hex");
    return { dbType: "BLOB", text, cast: (ref) => `unhex(${ref})` };
  }
  if (Types.isTimestamp(type) && type.unit !== TimeUnit.NANOSECOND) {
    // The library returns milliseconds, with a fraction that a double holds for microseconds.
    const text = (value: unknown) => String(BigInt(Math.round(Number(value) * 1000)));
    const dbType = type.timezone ? "TIMESTAMP WITH TIME ZONE" : "TIMESTAMP";
    const make = type.timezone ? "to_timestamp" : null;
    return {
      dbType,
      text,
      cast: (ref) => (make ? `make_timestamptz(${ref}::bigint)` : `make_timestamp(${ref}::bigint)`),
    };
  }
  const json = (value: unknown) =>
    JSON.stringify(value, (_, each: unknown) => (typeof each === "bigint" ? String(each) : each)) ?? "null";
  return as("JSON", json);
}

/** Returns the exact text of a decimal in 128 bits. */
function decimalText(words: Uint32Array, scale: number): string {
  let value = 0n;
  for (let index = words.length - 1; index >= 0; index -= 1) value = (value << 32n) | BigInt(words[index] ?? 0);
  const bits = BigInt(words.length * 32);
  if (value >> (bits - 1n)) value -= 1n << bits;
  const digits = (value < 0n ? -value : value).toString().padStart(scale + 1, "0");
  const whole = digits.slice(0, digits.length - scale);
  return `${value < 0n ? "-" : ""}${whole}${scale > 0 ? `.${digits.slice(-scale)}` : ""}`;
}
