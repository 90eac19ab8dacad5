import type { IncomingMessage } from "node:http";

const NEWLINE = 0x0a;

/** A line above the limit. The lines before it were returned. */
export class LineTooLong extends Error {}

/** Yields the lines of a response as they arrive, several at a time. Memory is bounded by one line and one chunk. */
export async function* linesOf(response: IncomingMessage, bytesMax: number): AsyncGenerator<string[], void> {
  let parts: Buffer[] = [];
  let held = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    const lines: string[] = [];
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      parts.push(chunk.subarray(start, end));
      lines.push(parts.length === 1 ? (parts[0] as Buffer).toString("utf8") : Buffer.concat(parts).toString("utf8"));
      parts = [];
      held = 0;
      start = end + 1;
    }
    if (start < chunk.length) {
      parts.push(chunk.subarray(start));
      held += chunk.length - start;
    }
    if (lines.length > 0) yield lines;
    if (held > bytesMax) throw new LineTooLong();
  }
  if (held > 0) yield [Buffer.concat(parts).toString("utf8")];
}
