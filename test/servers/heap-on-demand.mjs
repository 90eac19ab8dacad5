import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { isMainThread } from "node:worker_threads";

/*
 * Preloaded into the product's processes: on SIGUSR2, a process collects its garbage and writes the remaining memory in
 * bytes to HEAP_FOLDER. Otherwise retained memory could not be told from garbage.
 */
const { HEAP_FOLDER } = process.env;
if (isMainThread && HEAP_FOLDER !== undefined) {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc");
  process.on("SIGUSR2", () => {
    // The second collection frees objects that were only reachable through finalisers.
    collect();
    setImmediate(() => {
      collect();
      const { heapUsed, external, arrayBuffers } = process.memoryUsage();
      writeFileSync(join(HEAP_FOLDER, String(process.pid)), JSON.stringify({ heapUsed, external, arrayBuffers }));
    });
  });
}
