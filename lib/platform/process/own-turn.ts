import { sharedState } from "@/lib/platform/process/shared-state";

/**
 * Resolves in a turn of the event loop in which no other long work goes on, first come, first served. Work that is cut
 * into slices takes one for each: then twenty results at once hold up others by one slice, not by twenty (F15).
 */
export function ownTurn(): Promise<void> {
  const line = sharedState("long-work", (): (() => void)[] => []);
  return new Promise((resolve) => {
    line.push(resolve);
    if (line.length === 1) setImmediate(next, line);
  });
}

function next(line: (() => void)[]): void {
  const [resolve] = line;
  resolve?.();
  // What it resolves runs before the next turn.
  line.shift();
  if (line.length > 0) setImmediate(next, line);
}
