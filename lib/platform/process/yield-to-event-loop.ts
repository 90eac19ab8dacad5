import { serverMember } from "@/lib/platform/process/server-context";

const turns = serverMember("eventLoopTurns", () => []);

/**
 * Resolves in a turn of the event loop without other long work, first come, first served. Work that is cut into slices
 * waits once for each: twenty results at once then delay others by one slice, not by twenty (F15).
 */
export function yieldToEventLoop(): Promise<void> {
  const line = turns();
  return new Promise((resolve) => {
    line.push(resolve);
    if (line.length === 1) setImmediate(next, line);
  });
}

function next(line: (() => void)[]): void {
  const [resolve] = line;
  resolve?.();
  // Its continuation runs before the next turn.
  line.shift();
  if (line.length > 0) setImmediate(next, line);
}
