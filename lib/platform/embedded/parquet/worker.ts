import { parentPort } from "node:worker_threads";
import { lowerPriority } from "../../process/lower-priority.ts";
import type { ParquetAnswer, ParquetRequest } from "./messages.ts";
import { type ParquetFile, parquetFile, UnfitValue } from "./writer.ts";

/*
 * Writes Parquet in a separate thread: a million rows take seconds of processor time, and each piece would block other
 * requests to the server.
 */
lowerPriority({ isWorker: true });

const files = new Map<number, ParquetFile>();

parentPort?.on("message", (request: ParquetRequest) => {
  if (request.kind === "drop") {
    files.delete(request.file);
    return;
  }
  const answer = handleRequest(request);
  parentPort?.postMessage(answer, "bytes" in answer ? [answer.bytes.buffer as ArrayBuffer] : []);
});

function handleRequest(request: Exclude<ParquetRequest, { kind: "drop" }>): ParquetAnswer {
  const { file } = request;
  try {
    if (request.kind === "begin") {
      const begun = parquetFile(request.fields);
      files.set(file, begun);
      return { file, bytes: begun.head() };
    }
    const known = files.get(file);
    if (!known) return { file, error: "The file was abandoned." };
    if (request.kind === "batch") return { file, bytes: known.batch(request.batch) };
    if (request.kind === "columns") return { file, bytes: known.columns(request.columns, request.rowCount) };
    files.delete(file);
    return { file, bytes: known.tail() };
  } catch (error) {
    files.delete(file);
    if (error instanceof UnfitValue) return { file, unfit: { name: error.field.name, dbType: error.field.dbType } };
    return { file, error: error instanceof Error ? error.message : String(error) };
  }
}
