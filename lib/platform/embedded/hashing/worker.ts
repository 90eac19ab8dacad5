import { parentPort } from "node:worker_threads";
import { hashSync, verifySync } from "@node-rs/argon2";
import { giveRightOfWay } from "../../process/right-of-way.ts";
import type { HashingAnswer, HashingRequest } from "./messages.ts";

/**
 * Hashes of passwords in a thread of their own, one after another. On the threads that all of Node shares, a few
 * logins would hold up every look-up of a name, every file and every compressed answer.
 */
giveRightOfWay({ isWorker: true });

parentPort?.on("message", (request: HashingRequest) => {
  parentPort?.postMessage({ result: resultOf(request) } satisfies HashingAnswer);
});

function resultOf(request: HashingRequest): string | boolean {
  if (request.type === "hash") return hashSync(request.password, request.parameters);
  try {
    return verifySync(request.stored, request.password);
  } catch {
    // What is stored is no hash: nothing fits it.
    return false;
  }
}
