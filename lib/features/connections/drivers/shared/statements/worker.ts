import { parentPort } from "node:worker_threads";
import { giveRightOfWay } from "../../../../../platform/process/right-of-way.ts";
import { answerCheck, type CheckRequest } from "./checks.ts";

/** Checks long statements in a worker thread; a crash ends it, and the next request starts another. */
giveRightOfWay({ isWorker: true });
parentPort?.on("message", (request: CheckRequest) => {
  parentPort?.postMessage(answerCheck(request));
});
