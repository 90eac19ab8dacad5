import pino from "pino";
import { onTestFinished } from "vitest";
import { log } from "@/lib/platform/log";

/** Captures the logger's lines, as they would reach standard output, until `stop`. */
export function captureLog(level = "trace"): { lines: () => string[]; text: () => string; stop: () => string[] } {
  const written: string[] = [];
  const stream = (log as unknown as Record<symbol, { write: (line: string) => unknown }>)[pino.symbols.streamSym];
  if (!stream) throw new Error("The logger has no stream.");
  const { write } = stream;
  const before = log.level;
  log.level = level;
  stream.write = (line) => written.push(line);
  const stop = () => {
    stream.write = write;
    log.level = before;
    return written;
  };
  onTestFinished(() => void stop());
  return { lines: () => written, text: () => written.join(""), stop };
}
