import type { DuckDBConnection } from "@duckdb/node-api";
import { allRows, type RawColumn } from "./analyse.ts";
import { columnRef, quoteText } from "./column-sql.ts";
import { detectEncoding } from "./detect.ts";
import { JSON_OBJECT_BYTES_MAX } from "./limits.ts";
import { type Encoding, SOURCE_FILE } from "./messages.ts";
import { Unreadable } from "./scan.ts";
import { readHead, stageLines, tooWide } from "./stage-text.ts";

/** Types of JSON that are read as text with all digits, and judged on all rows. */
const NUMBERS = new Set(["BIGINT", "UBIGINT", "DOUBLE", "HUGEINT", "UHUGEINT"]);

/**
 * Reads objects of JSON, one a line or in an array, into the tables `rows` and `rejects`: a column for each key at the
 * top. Nested values stay JSON.
 * @throws Unreadable
 */
export async function stageJson(
  connection: DuckDBConnection,
  format: "json" | "ndjson",
  asked: Encoding | undefined,
  progress: (bytes: number, rows: number) => void,
): Promise<{ encoding: Encoding; columns: RawColumn[]; raw: string[] }> {
  const head = readHead();
  if (head.length === 0) throw new Unreadable("The file is empty. Choose another file.");
  const encoding = asked ?? detectEncoding(head).encoding;
  if (format === "ndjson") {
    await stageLines(connection, encoding, JSON_OBJECT_BYTES_MAX / 2, progress);
    await connection.run(`
      insert into rejects select line, 'Not a JSON object', left(c0, 500) from rows
      where not json_valid(c0) or json_type(c0) <> 'OBJECT'`);
    await connection.run(`
      create table objects as select line, c0::json as value from rows where json_valid(c0) and json_type(c0) = 'OBJECT'`);
  } else {
    if (encoding !== "utf-8") throw new Unreadable("The JSON file is not in UTF-8. Save it as UTF-8.");
    await connection.run("create table rejects (line bigint, problem varchar, text varchar)");
    await readArray(connection);
  }
  await connection.run("drop table if exists rows");
  const [shape] = await allRows(connection, "select json_group_structure(value)::varchar as shape from objects");
  const types = shape?.shape ? (JSON.parse(String(shape.shape)) as Record<string, unknown> | string) : {};
  const keys = typeof types === "object" ? Object.entries(types) : [];
  if (keys.length === 0) throw new Unreadable("The file has no objects with keys. Choose another file.");
  const refusal = tooWide(keys.length);
  if (refusal !== null) throw new Unreadable(refusal);
  const columns = keys.map(([name, type], index): RawColumn => {
    const isText = type === "VARCHAR";
    const declared = isText || NUMBERS.has(String(type)) ? null : type === "BOOLEAN" ? "BOOLEAN" : "JSON";
    return { index, name, declared, ...(isText && { isQuoted: true }) };
  });
  const values = columns.map(({ index, name, declared }) => {
    const path = quoteText(`$."${name.replaceAll('"', '\\"')}"`);
    if (declared === "JSON") return `nullif(json_extract(value, ${path}), 'null'::json) as ${columnRef(index)}`;
    const text = `json_extract_string(value, ${path})`;
    return `${declared === "BOOLEAN" ? `${text}::boolean` : text} as ${columnRef(index)}`;
  });
  await connection.run(`create table rows as select line, ${values.join(", ")} from objects`);
  await connection.run("drop table objects");
  return { encoding, columns, raw: [] };
}

async function readArray(connection: DuckDBConnection): Promise<void> {
  try {
    await connection.run(`
      create table objects as select row_number() over () as line, json as value
      from read_json_objects(${quoteText(SOURCE_FILE)}, format = 'auto', maximum_object_size = ${JSON_OBJECT_BYTES_MAX})`);
  } catch (error) {
    const message = error instanceof Error ? error.message : "";
    const reason = /Malformed JSON[^:]*:?\s*(.*)/s.exec(message)?.[1] ?? "";
    throw new Unreadable(`The file is not valid JSON. ${reason.split("\n")[0]?.slice(0, 200) ?? ""}`.trim(), {
      cause: error,
    });
  }
}
