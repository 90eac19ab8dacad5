import { parentPort } from "node:worker_threads";
import { giveRightOfWay } from "../../process/right-of-way.ts";
import { refuseLargeTree } from "./frame-tree.ts";

/** Reads large frames (wire.ts) in a thread of its own: one with a cell of 16 MiB takes a tenth of a second. */
giveRightOfWay({ isWorker: true });

parentPort?.on("message", (bytes: Uint8Array) => {
  refuseLargeTree(bytes);
  parentPort?.postMessage(JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8")));
});
