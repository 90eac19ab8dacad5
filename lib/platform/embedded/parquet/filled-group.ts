import { ByteWriter, type ParquetWriter } from "hyparquet-writer";
import { writeColumn } from "hyparquet-writer/src/column.js";
import { writePageHeader } from "hyparquet-writer/src/datapage.js";
import type { FilledColumn } from "./messages.ts";

/*
 * Writes row groups whose columns already have their cells: the library would visit each cell several times.
 */

export type Element = ConstructorParameters<typeof ParquetWriter>[0]["schema"][number];
export type Cell = boolean | number | bigint | string | Uint8Array;
type Filled = Exclude<FilledColumn, { values: unknown }>;
type Compressors = { SNAPPY: (bytes: Uint8Array) => Uint8Array };
type Chunk = ParquetWriter["row_groups"][number]["columns"][number];

const LENGTH_BYTES = 4;
/** Bytes of a run of definition levels: its length, and the level. */
const RUN_BYTES_MAX = 6;

/** @param schema the root, and an element for each column */
export function writeFilledGroup(
  writer: ParquetWriter,
  schema: readonly Element[],
  columns: readonly (FilledColumn | { cells: (Cell | null)[] })[],
  rowCount: number,
): void {
  if (rowCount === 0 || columns.length === 0) return;
  const out = writer.writer as ByteWriter;
  const start = out.offset;
  const chunks = columns.map((column, index) => {
    const element = schema[index + 1] as Element;
    return "nullCount" in column
      ? writeFilled(writer, element, column, rowCount)
      : writeCells(writer, schema, element, (column as { cells: (Cell | null)[] }).cells);
  });
  writer.num_rows += BigInt(rowCount);
  writer.row_groups.push({
    columns: chunks,
    total_byte_size: chunks.reduce((sum, { meta_data }) => sum + (meta_data?.total_uncompressed_size ?? 0n), 0n),
    num_rows: BigInt(rowCount),
    total_compressed_size: BigInt(out.offset - start),
  });
}

function writeCells(
  writer: ParquetWriter,
  schema: readonly Element[],
  element: Element,
  cells: readonly (Cell | null)[],
): Chunk {
  return writeColumn({
    writer: writer.writer,
    column: {
      columnName: element.name,
      element,
      schemaPath: [schema[0] as Element, element],
      codec: "SNAPPY",
      compressors: writer.compressors,
      stats: false,
      pageSize: Number.POSITIVE_INFINITY,
      columnIndex: false,
      offsetIndex: false,
      // A dictionary would treat 0 and -0 as one value.
      ...(element.type === "DOUBLE" && { encoding: "PLAIN" }),
    },
    pageData: {
      values: [...cells],
      definitionLevels: cells.map((cell) => (cell === null ? 0 : 1)),
      repetitionLevels: [],
      maxDefinitionLevel: 1,
    },
  }).chunk;
}

/** Writes one page in plain encoding. */
function writeFilled(writer: ParquetWriter, element: Element, column: Filled, rowCount: number): Chunk {
  const out = writer.writer as ByteWriter;
  const start = out.offset;
  const levels = levelsOf(column, rowCount);
  const page = pageOf(column, rowCount);
  const { SNAPPY: compress } = writer.compressors as Compressors;
  const compressed = compress(page);
  writePageHeader(out, {
    type: "DATA_PAGE_V2",
    uncompressed_page_size: levels.length + page.length,
    compressed_page_size: levels.length + compressed.length,
    data_page_header_v2: {
      num_values: rowCount,
      num_nulls: column.nullCount,
      num_rows: rowCount,
      encoding: "PLAIN",
      definition_levels_byte_length: levels.length,
      repetition_levels_byte_length: 0,
      is_compressed: true,
    },
  });
  const headerBytes = out.offset - start;
  out.appendBytes(levels);
  out.appendBytes(compressed);
  return {
    meta_data: {
      type: element.type as NonNullable<Element["type"]>,
      encodings: ["PLAIN"],
      path_in_schema: [element.name],
      codec: "SNAPPY",
      num_values: BigInt(rowCount),
      total_compressed_size: BigInt(out.offset - start),
      total_uncompressed_size: BigInt(headerBytes + levels.length + page.length),
      data_page_offset: BigInt(start),
    },
    file_offset: BigInt(start),
  };
}

/** Returns the definition levels: one run of ones, or the bits of the rows with a value. */
function levelsOf({ nullCount, valid }: Filled, rowCount: number): Uint8Array {
  const levels = new ByteWriter(valid.length + RUN_BYTES_MAX);
  if (nullCount === 0) {
    levels.appendVarInt(rowCount * 2);
    levels.appendUint8(1);
  } else {
    levels.appendVarInt(valid.length * 2 + 1);
    levels.appendBytes(valid);
  }
  return levels.getBytes();
}

/** Returns the cells that are not null, one after another. */
function pageOf({ nullCount, valid, data, offsets }: Filled, rowCount: number): Uint8Array {
  const isValid = (row: number) => (((valid[row >> 3] as number) >> (row & 7)) & 1) === 1;
  if (offsets) {
    const page = new Uint8Array(data.length + (rowCount - nullCount) * LENGTH_BYTES);
    const view = new DataView(page.buffer);
    let at = 0;
    for (let row = 0; row < rowCount; row += 1) {
      if (!isValid(row)) continue;
      const [from, end] = [offsets[row] as number, offsets[row + 1] as number];
      view.setUint32(at, end - from, true);
      at += LENGTH_BYTES;
      for (let index = from; index < end; index += 1) page[at++] = data[index] as number;
    }
    return page.subarray(0, at);
  }
  if (data instanceof Uint8Array) {
    if (nullCount === 0) return data;
    const page = new Uint8Array((rowCount - nullCount + 7) >> 3);
    let count = 0;
    for (let row = 0; row < rowCount; row += 1) {
      if (!isValid(row)) continue;
      if ((((data[row >> 3] as number) >> (row & 7)) & 1) === 1) {
        page[count >> 3] = (page[count >> 3] as number) | (1 << (count & 7));
      }
      count += 1;
    }
    return page;
  }
  // Parquet's numbers are little-endian, as are those of every platform of Node.js.
  const kept = nullCount === 0 ? data : (data as Float64Array).filter((_, row) => isValid(row));
  return new Uint8Array(kept.buffer, kept.byteOffset, kept.byteLength);
}
