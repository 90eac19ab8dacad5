import { parentPort } from "node:worker_threads";
import { hashSync, verifySync } from "@node-rs/argon2";
import { lowerPriority } from "../../process/lower-priority.ts";
import type { HashingAnswer, HashingRequest } from "./messages.ts";

/**
 * Hashes passwords in a separate thread, one after another. In Node's shared thread pool, a few logins would delay
 * every DNS look-up, file access and compressed response.
 */
lowerPriority({ isWorker: true });

parentPort?.on("message", (request: HashingRequest) => {
  parentPort?.postMessage({ result: resultOf(request) } satisfies HashingAnswer);
});

function resultOf(request: HashingRequest): string | boolean {
  if (request.type === "hash") return hashSync(request.password, request.parameters);
  try {
    return verifySync(request.stored, request.password);
  } catch {
    // The stored text is not a hash, so no password matches.
    return false;
  }
}
