import type { DuckDBConnection } from "@duckdb/node-api";
import { INTERRUPT_EVERY_MS } from "./limits.ts";

/** Repeats the interrupt until the session is over, because DuckDB forgets one that comes between two steps. */
export function interruptOnAbort(connection: DuckDBConnection, signal: AbortSignal): () => void {
  let timer: NodeJS.Timeout | undefined;
  const interrupt = () => {
    connection.interrupt();
    timer = setInterval(() => connection.interrupt(), INTERRUPT_EVERY_MS);
  };
  if (signal.aborted) interrupt();
  else signal.addEventListener("abort", interrupt, { once: true });
  return () => {
    signal.removeEventListener("abort", interrupt);
    clearInterval(timer);
  };
}
