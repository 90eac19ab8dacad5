import { Worker } from "node:worker_threads";
import type { Batch, Field, RowBytes } from "@/lib/base/values/fields";
import type { ParquetAnswer, ParquetRequest } from "@/lib/platform/embedded/parquet/messages";
import { AppError } from "@/lib/platform/http/errors";
import { childEntry } from "@/lib/platform/process/entries";
import { serverMember } from "@/lib/platform/process/server-context";
import { UnfitCell } from "./column-bytes";
import { fillParquetColumns } from "./parquet-columns";

/**
 * Size of the young generation, in MiB, which limits the garbage of row groups. By default the thread would let a
 * hundred mebibytes accumulate.
 */
const YOUNG_MIB = 16;

type Waiting = { resolve: (bytes: Uint8Array) => void; reject: (error: Error) => void };

/** The thread that writes Parquet for this process (lib/platform/embedded/parquet), started when first needed. */
export class ParquetThread {
  #worker: Worker | null = null;
  #lastFile = 0;
  /** Requests by file, in order. */
  readonly #waiting = new Map<number, Waiting[]>();

  newFile(): number {
    this.#lastFile += 1;
    return this.#lastFile;
  }

  /**
   * @param transfer memory that the thread takes over
   * @throws AppError for a value that does not fit its column; Error when the thread has ended
   */
  ask(request: Exclude<ParquetRequest, { kind: "drop" }>, transfer: ArrayBuffer[] = []): Promise<Uint8Array> {
    const worker = this.#start();
    const answer = Promise.withResolvers<Uint8Array>();
    const line = this.#waiting.get(request.file) ?? [];
    this.#waiting.set(request.file, line);
    line.push(answer);
    // An idle thread does not keep the process alive; a busy one does.
    worker.ref();
    worker.postMessage(request, transfer);
    return answer.promise;
  }

  /** Drops a file, and everything that still waits for a part of it. */
  drop(file: number): void {
    this.#waiting.delete(file);
    this.#worker?.postMessage({ file, kind: "drop" } satisfies ParquetRequest);
    this.#restIfIdle();
  }

  #start(): Worker {
    if (this.#worker) return this.#worker;
    // The thread has no access to settings and secrets of the platform.
    const worker = new Worker(/* turbopackIgnore: true */ childEntry("parquet"), {
      env: {},
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MIB },
    });
    this.#worker = worker;
    worker.on("message", (answer: ParquetAnswer) => this.#take(answer));
    // The exit event that follows handles it.
    worker.on("error", () => {});
    worker.once("exit", () => {
      this.#worker = null;
      const lost = [...this.#waiting.values()].flat();
      this.#waiting.clear();
      for (const { reject } of lost) reject(new Error("The Parquet thread exited unexpectedly."));
    });
    return worker;
  }

  #take(answer: ParquetAnswer): void {
    const line = this.#waiting.get(answer.file);
    const waiting = line?.shift();
    if (line?.length === 0) this.#waiting.delete(answer.file);
    this.#restIfIdle();
    if ("bytes" in answer) waiting?.resolve(answer.bytes);
    else waiting?.reject("unfit" in answer ? unfit(answer.unfit) : new Error(answer.error));
  }

  #restIfIdle(): void {
    if (this.#waiting.size === 0) this.#worker?.unref();
  }
}

const thread = serverMember("parquetThread", () => new ParquetThread());

/**
 * Writes batches as one file. While the thread writes a batch the next one is read, so one waits in memory.
 * @throws errors of the batches; AppError for a value that does not fit its column
 */
export async function* writeParquet(
  fields: readonly Field[],
  batches: AsyncIterable<Batch>,
): AsyncGenerator<Uint8Array, void> {
  const file = thread().newFile();
  const ask = (request: Exclude<ParquetRequest, { kind: "drop" }>, transfer?: ArrayBuffer[]) => {
    const answer = thread().ask(request, transfer);
    // A reader that has left is not interested in an error.
    answer.catch(() => {});
    return answer;
  };
  let isWhole = false;
  try {
    let writing = ask({ file, kind: "begin", fields });
    for await (const batch of batches) {
      const { rowCount, raw } = batch;
      const filled = raw ? fill(fields, raw, rowCount) : null;
      const next = filled
        ? ask({ file, kind: "columns", rowCount, columns: filled.columns }, filled.transfer)
        : ask({ file, kind: "batch", batch: { rowCount, columns: batch.columns } });
      yield* toPiece(await writing);
      writing = next;
    }
    yield* toPiece(await writing);
    yield await ask({ file, kind: "end" });
    isWhole = true;
  } finally {
    if (!isWhole) thread().drop(file);
  }
}

function fill(fields: readonly Field[], raw: RowBytes, rowCount: number): ReturnType<typeof fillParquetColumns> {
  try {
    return fillParquetColumns(fields, raw, rowCount);
  } catch (error) {
    throw error instanceof UnfitCell ? unfit(fields[error.column] as Field) : error;
  }
}

/** A file that collects rows has nothing to send yet. */
function* toPiece(bytes: Uint8Array): Generator<Uint8Array> {
  if (bytes.length > 0) yield bytes;
}

function unfit({ name, dbType }: Pick<Field, "name" | "dbType">): AppError {
  return new AppError(
    "query_failed",
    `The column ${name} (${dbType}) has a value that Parquet can't store. Cast it to text, or use another format.`,
  );
}
