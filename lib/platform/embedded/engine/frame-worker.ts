import { parentPort } from "node:worker_threads";
import { lowerPriority } from "../../process/lower-priority.ts";
import { refuseLargeTree } from "./frame-tree.ts";

/** Parses large frames (wire.ts) in a separate thread: a frame with a 16 MiB cell takes 0.1 s. */
lowerPriority({ isWorker: true });

parentPort?.on("message", (bytes: Uint8Array) => {
  refuseLargeTree(bytes);
  parentPort?.postMessage(JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8")));
});
