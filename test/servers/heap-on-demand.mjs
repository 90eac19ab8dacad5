import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { isMainThread } from "node:worker_threads";

/*
 * Preloaded into the product's processes: on SIGUSR2 one collects its garbage and writes down what is left, in bytes, into
 * HEAP_FOLDER. Without that nobody can tell what is kept from what is not collected yet.
 */
const { HEAP_FOLDER } = process.env;
if (isMainThread && HEAP_FOLDER !== undefined) {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc");
  process.on("SIGUSR2", () => {
    // What is only reachable by something that is to be finalized goes in the second one.
    collect();
    setImmediate(() => {
      collect();
      const { heapUsed, external, arrayBuffers } = process.memoryUsage();
      writeFileSync(join(HEAP_FOLDER, String(process.pid)), JSON.stringify({ heapUsed, external, arrayBuffers }));
    });
  });
}
