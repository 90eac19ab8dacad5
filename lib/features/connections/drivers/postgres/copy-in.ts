import "server-only";
import type { Connection, DatabaseError, Submittable } from "pg";
import { connectionLost } from "../shared/failures";

/** Maximum characters of one message. */
const CHUNK_CHARS = 64 * 1024;

type Line = Connection & {
  stream: NodeJS.WritableStream & { writableNeedDrain?: boolean };
  query(text: string): void;
  sendCopyFromChunk(chunk: Buffer): void;
  endCopyFrom(): void;
  sendCopyFail(text: string): void;
};

/**
 * COPY ... FROM STDIN. Rows are sent as fast as the server takes them, with a part of them in memory. Rows are
 * generated while they are sent; an error there ends the COPY, and `done` rejects with it.
 */
export class CopyIn implements Submittable {
  readonly #text: string;
  readonly #rows: Iterator<(string | null)[]>;
  readonly #done = Promise.withResolvers<void>();
  #failure: unknown = null;
  #isSending = false;

  /** @param rows values as text, null for NULL */
  constructor(text: string, rows: Iterable<(string | null)[]>) {
    this.#text = text;
    this.#rows = rows[Symbol.iterator]();
    this.#done.promise.catch(() => {});
  }

  /** Resolves when the server has taken all rows. */
  get done(): Promise<void> {
    return this.#done.promise;
  }

  // Methods that the library calls.

  submit(connection: Connection): void {
    (connection as Line).query(this.#text);
  }

  handleCopyInResponse(connection: Connection): void {
    this.#isSending = true;
    this.#send(connection as Line);
  }

  handleCommandComplete(): void {}

  handleReadyForQuery(): void {
    this.#isSending = false;
    this.#done.resolve();
  }

  /** Called by the library, which then drops the failed query and holds the next one back until the server is ready. */
  handleError(error: DatabaseError | Error): void {
    this.#isSending = false;
    this.#done.reject(this.#failure ?? error);
  }

  handleRowDescription(): void {}
  handleDataRow(): void {}
  handlePortalSuspended(): void {}
  handleEmptyQuery(): void {}
  handleCopyData(): void {}

  #send(line: Line): void {
    try {
      while (this.#isSending) {
        const chunk = this.#chunk();
        if (chunk === null) {
          this.#isSending = false;
          line.endCopyFrom();
          return;
        }
        line.sendCopyFromChunk(chunk);
        if (line.stream.writableNeedDrain) {
          this.#sendAfterDrain(line);
          return;
        }
      }
    } catch (error) {
      this.#isSending = false;
      this.#failure = error;
      line.sendCopyFail("couldn't encode the rows");
    }
  }

  #sendAfterDrain(line: Line): void {
    const settle = () => {
      line.stream.removeListener("drain", settle);
      line.stream.removeListener("close", lost);
      this.#send(line);
    };
    const lost = () => {
      line.stream.removeListener("drain", settle);
      this.#isSending = false;
      this.#done.reject(connectionLost());
    };
    line.stream.once("drain", settle);
    line.stream.once("close", lost);
  }

  #chunk(): Buffer | null {
    let text = "";
    while (text.length < CHUNK_CHARS) {
      const { done, value } = this.#rows.next();
      if (done) break;
      for (let index = 0; index < value.length; index += 1) {
        if (index > 0) text += "\t";
        const cell = value[index];
        text += cell === null || cell === undefined ? "\\N" : escaped(cell);
      }
      text += "\n";
    }
    return text === "" ? null : Buffer.from(text, "utf8");
  }
}

const ESCAPES: Readonly<Record<string, string>> = { "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t" };
const TO_ESCAPE = /[\\\n\r\t]/;

/** Escapes a value for COPY's text format (PostgreSQL's documentation, COPY, "File Formats"). */
function escaped(text: string): string {
  return TO_ESCAPE.test(text) ? text.replace(/[\\\n\r\t]/g, (char) => ESCAPES[char] ?? char) : text;
}
