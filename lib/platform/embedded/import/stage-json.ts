import type { DuckDBConnection } from "@duckdb/node-api";
import type { RawColumn } from "./analyse.ts";
import { columnRef, quoteText } from "./column-sql.ts";
import { detectEncoding } from "./detect.ts";
import { JSON_OBJECT_BYTES_MAX, REJECTED_CHARS_MAX } from "./limits.ts";
import { type Encoding, type Problem, SOURCE_FILE } from "./messages.ts";
import { Unreadable } from "./scan.ts";
import { nameColumns, readHead, stageLines, stageRows, tooWide } from "./stage-text.ts";

type StagedJson = { encoding: Encoding; columns: RawColumn[]; raw: string[]; problems: Problem[] };

/**
 * Reads objects of JSON, one a line or in an array, into the tables `rows` and `rejects`: a column for each key at the
 * top. Nested values stay JSON, and numbers keep all digits.
 * @throws Unreadable
 */
export async function stageJson(
  connection: DuckDBConnection,
  format: "json" | "ndjson",
  asked: Encoding | undefined,
  progress: (bytes: number, rows: number) => void,
): Promise<StagedJson> {
  const head = readHead();
  if (head.length === 0) throw new Unreadable("The file is empty. Choose another file.");
  const encoding = asked ?? detectEncoding(head).encoding;
  if (format === "ndjson") {
    await stageLines(connection, encoding, JSON_OBJECT_BYTES_MAX, progress);
    await connection.run("alter table rows rename to objects; alter table rejects rename to refused;");
  } else {
    if (encoding !== "utf-8") throw new Unreadable("The JSON file is not in UTF-8. Save it as UTF-8.");
    await connection.run("create table refused (line bigint, problem varchar, text varchar)");
    await readArray(connection);
  }
  const kinds = await kindsOfKeys(connection);
  const keys = [...kinds.keys()];
  if (keys.length === 0) throw new Unreadable("The file has no objects with keys. Choose another file.");
  const named = nameColumns(keys, keys.length);
  const columns = named.columns.map((column, index): RawColumn => {
    const kind = kinds.get(keys[index] ?? "");
    if (kind === "text") return { ...column, isQuoted: true };
    return { ...column, declared: kind === "number" ? null : kind === "boolean" ? "BOOLEAN" : "JSON" };
  });
  await stageRows(
    connection,
    keys.length,
    async (put, reject) => {
      for await (const { line, text, object } of objectsOf(connection)) {
        if (object === null) reject(line, "Not a JSON object", text.slice(0, REJECTED_CHARS_MAX));
        else
          put(
            line,
            keys.map((key, index) => fieldOf(object, key, columns[index]?.declared === "JSON")),
          );
      }
    },
    JSON_OBJECT_BYTES_MAX,
  );
  await connection.run("insert into rejects select * from refused; drop table refused; drop table objects;");
  const typed = columns.filter(({ declared }) => declared !== null);
  if (typed.length > 0) {
    const casts = typed.map(({ index, declared }) => `${columnRef(index)}::${declared} as ${columnRef(index)}`);
    await connection.run(`create table typed as select * replace (${casts.join(", ")}) from rows`);
    await connection.run("drop table rows; alter table typed rename to rows;");
  }
  return { encoding, columns, raw: [], problems: named.problems };
}

async function readArray(connection: DuckDBConnection): Promise<void> {
  try {
    await connection.run(`
      create table objects as select row_number() over () as line, json::varchar as c0
      from read_json_objects(${quoteText(SOURCE_FILE)}, format = 'auto', maximum_object_size = ${JSON_OBJECT_BYTES_MAX})`);
  } catch (error) {
    const message = error instanceof Error ? error.message : "";
    const reason = /Malformed JSON[^:]*:?\s*(.*)/s.exec(message)?.[1] ?? "";
    throw new Unreadable(`The file is not valid JSON. ${reason.split("\n")[0]?.slice(0, 200) ?? ""}`.trim(), {
      cause: error,
    });
  }
}

/** Kind of a key's values; null where all are null. */
type Kind = "text" | "number" | "boolean" | "json" | null;

/** Returns the kind of each key, in the order of the file. @throws Unreadable for too many keys */
async function kindsOfKeys(connection: DuckDBConnection): Promise<Map<string, Kind>> {
  const kinds = new Map<string, Kind>();
  for await (const { object } of objectsOf(connection)) {
    for (const [key, value] of Object.entries(object ?? {})) {
      const kind = kindOf(value);
      const known = kinds.get(key) ?? null;
      kinds.set(key, known === null || kind === null || kind === known ? (kind ?? known) : "json");
      const refusal = tooWide(kinds.size);
      if (refusal !== null) throw new Unreadable(refusal);
    }
  }
  return kinds;
}

function kindOf(value: unknown): Kind {
  if (value === null) return null;
  if (typeof value === "string") return "text";
  if (typeof value === "number" || isRawNumber(value)) return "number";
  return typeof value === "boolean" ? "boolean" : "json";
}

/** Returns the text of a key's value; null for none. */
function fieldOf(object: JsonObject, key: string, isJson: boolean): string | null {
  const value = Object.hasOwn(object, key) ? object[key] : null;
  if (value === null || value === undefined) return null;
  if (isJson) return JSON.stringify(value);
  return isRawNumber(value) ? value.rawJSON : String(value);
}

type JsonObject = Record<string, unknown>;
type RawNumber = { rawJSON: string };
/** `JSON` with the source texts of numbers, which the types of the language do not have yet. */
const RAW = JSON as unknown as {
  parse(
    text: string,
    reviver: (this: unknown, key: string, value: unknown, context: { source?: string }) => unknown,
  ): unknown;
  rawJSON(text: string): RawNumber;
  isRawJSON(value: unknown): value is RawNumber;
};
/** Numbers that may have another text when read and written: long ones, zeros at the end, and exponents. */
const MAY_CHANGE = /\d[\d.]{15}|\d[eE]|\.\d*0\b|-0/;

function isRawNumber(value: unknown): value is RawNumber {
  return RAW.isRawJSON(value);
}

/** Reads an object, in which a number that a double does not hold keeps its text; null for anything else. */
function parseObject(text: string): JsonObject | null {
  try {
    const value = MAY_CHANGE.test(text)
      ? RAW.parse(text, (_key, each, { source }) =>
          typeof each === "number" && source !== undefined && String(each) !== source ? RAW.rawJSON(source) : each,
        )
      : (JSON.parse(text) as unknown);
    return typeof value === "object" && value !== null && !Array.isArray(value) && !isRawNumber(value)
      ? (value as JsonObject)
      : null;
  } catch {
    return null;
  }
}

/** Reads the table `objects` without holding it. */
async function* objectsOf(
  connection: DuckDBConnection,
): AsyncGenerator<{ line: number; text: string; object: JsonObject | null }> {
  const result = await connection.stream("select line, c0 from objects");
  for (;;) {
    const chunk = await result.fetchChunk();
    if (!chunk || chunk.rowCount === 0) return;
    const lines = chunk.getColumnVector(0);
    const texts = chunk.getColumnVector(1);
    // All texts of a chunk at once may take gigabytes.
    for (let row = 0; row < chunk.rowCount; row += 1) {
      const text = String(texts.getItem(row) ?? "");
      yield { line: Number(lines.getItem(row)), text, object: parseObject(text) };
    }
  }
}
