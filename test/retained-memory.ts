import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** A full collection stops the process for about 100 ms. */
const SAMPLE_EVERY_MS = 500;

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

/**
 * Memory of this process in bytes: `retained` by this thread after a full collection, and `resident` with its other
 * threads.
 */
export type MemoryBytes = { retained: number; resident: number };

/**
 * Returns the memory in use after a full collection. Before one, it also includes garbage, whose size depends on the
 * load of the machine.
 */
export function memoryInUse(): MemoryBytes {
  collect();
  const { heapUsed, external, rss } = process.memoryUsage();
  return { retained: heapUsed + external, resident: rss };
}

/** Samples the memory in use until `stop`, which returns the largest sample. */
export function watchMemory(): { stop: () => MemoryBytes } {
  let peak = memoryInUse();
  const sample = () => {
    const now = memoryInUse();
    peak = {
      retained: Math.max(peak.retained, now.retained),
      resident: Math.max(peak.resident, now.resident),
    };
  };
  const timer = setInterval(sample, SAMPLE_EVERY_MS);
  return {
    stop: () => {
      clearInterval(timer);
      sample();
      return peak;
    },
  };
}
