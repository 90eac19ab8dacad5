import "server-only";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Client } from "pg";
import { from } from "pg-copy-streams";

/**
 * Runs COPY ... FROM STDIN. Rows are generated while they are sent, as fast as the server takes them; an error of theirs
 * ends the COPY.
 * @param chunks rows in COPY's text format
 */
export async function copyIn(client: Client, text: string, chunks: Iterable<Buffer>): Promise<void> {
  await pipeline(Readable.from(chunks), client.query(from(text)));
}
