import { parentPort } from "node:worker_threads";
import { lowerPriority } from "../../../../../platform/process/lower-priority.ts";
import { answerCheck, type CheckRequest } from "./checks.ts";

/** Checks long statements in a worker thread; a crash ends it, and the next request starts another. */
lowerPriority({ isWorker: true });
parentPort?.on("message", (request: CheckRequest) => {
  parentPort?.postMessage(answerCheck(request));
});
