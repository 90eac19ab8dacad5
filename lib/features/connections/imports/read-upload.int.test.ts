import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { Dictionary, Int32, Table, tableToIPC, Utf8, type Vector, vectorFromArray } from "apache-arrow";
import { writeXlsx } from "hucre/xlsx";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { readUpload } from "./read-upload";

const MIB = 1024 * 1024;
const STAGED_BYTES_MAX = 16 * MIB;
const TOO_LARGE = "The file takes more than 16 MiB once unpacked. Split it.";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "import-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Reads a file with a small limit; returns its preview, or the refusal. */
async function read(name: string, content: Uint8Array | string | null, settings = {}) {
  if (content !== null) writeFileSync(join(folder, "source"), content);
  const job = { name, settings, stagedBytesMax: STAGED_BYTES_MAX };
  const options = { signal: new AbortController().signal, onProgress: () => {} };
  return readUpload(folder, job, options).catch(
    (error: { details?: { message: string }[]; message: string }) => error.details?.[0]?.message ?? error.message,
  );
}

const largestFile = () => Math.max(...readdirSync(folder).map((name) => statSync(join(folder, name)).size));

/** Text that does not compress. */
const noise = (chars: number, seed: number) => {
  let state = seed + 1;
  return Array.from({ length: chars }, () => {
    state = (state * 48_271) % 2_147_483_647;
    return String.fromCharCode(97 + (state % 26));
  }).join("");
};

describe("a small file that unpacks to a large one is refused before it fills the disk", () => {
  test("of a workbook", async () => {
    const text = "x".repeat(30_000);
    const rows = [["a"], ...Array.from({ length: 2000 }, () => [text])];
    const book = await writeXlsx({ sheets: [{ name: "One", rows }] });
    expect(book.length).toBeLessThan(MIB);
    expect(await read("book.xlsx", book)).toBe(TOO_LARGE);
    expect(largestFile()).toBeLessThanOrEqual(STAGED_BYTES_MAX);
  });

  test("of an Arrow dictionary", async () => {
    const words = vectorFromArray([noise(100_000, 1)], new Utf8());
    const type = new Dictionary(new Utf8(), new Int32());
    const repeated = vectorFromArray(Array(400).fill(words.get(0)), type) as Vector;
    expect(await read("d.arrow", tableToIPC(new Table({ repeated }), "stream"))).toBe(TOO_LARGE);
    expect(largestFile()).toBeLessThanOrEqual(STAGED_BYTES_MAX);
  });

  test("of Parquet", async () => {
    const connection = await (await DuckDBInstance.create(":memory:")).connect();
    const path = join(folder, "source");
    await connection.run(
      "create table words as select string_agg(md5((i * 1000 + j)::varchar), '') as word from range(20) a(i), range(1000) b(j) group by i",
    );
    await connection.run(
      `copy (select word from words, range(40)) to '${path}' (format parquet, compression zstd, dictionary_size_limit 1000000)`,
    );
    connection.closeSync();
    expect(statSync(path).size).toBeLessThan(STAGED_BYTES_MAX);
    expect(await read("d.parquet", null)).toBe(TOO_LARGE);
    expect(largestFile()).toBeLessThanOrEqual(STAGED_BYTES_MAX);
  });
});
