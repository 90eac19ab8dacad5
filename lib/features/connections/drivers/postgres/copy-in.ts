import "server-only";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Client } from "pg";
import { from } from "pg-copy-streams";

/** Characters of one message. */
const CHUNK_CHARS = 64 * 1024;

/**
 * Runs COPY ... FROM STDIN. Rows are generated while they are sent, as fast as the server takes them; an error of theirs
 * ends the COPY.
 * @param rows values as text, null for NULL
 */
export async function copyIn(client: Client, text: string, rows: Iterable<(string | null)[]>): Promise<void> {
  await pipeline(Readable.from(chunksOf(rows)), client.query(from(text)));
}

function* chunksOf(rows: Iterable<(string | null)[]>): Generator<Buffer, void> {
  let text = "";
  for (const row of rows) {
    text += `${row.map((cell) => (cell === null ? "\\N" : escaped(cell))).join("\t")}\n`;
    if (text.length < CHUNK_CHARS) continue;
    yield Buffer.from(text);
    text = "";
  }
  if (text !== "") yield Buffer.from(text);
}

const ESCAPES: Readonly<Record<string, string>> = { "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t" };
const TO_ESCAPE = /[\\\n\r\t]/;

/** Escapes a value for COPY's text format (PostgreSQL's documentation, COPY, "File Formats"). */
function escaped(text: string): string {
  return TO_ESCAPE.test(text) ? text.replace(/[\\\n\r\t]/g, (char) => ESCAPES[char] ?? char) : text;
}
