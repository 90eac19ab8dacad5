import { setFlagsFromString } from "node:v8";
import { parentPort } from "node:worker_threads";
import { loadModule, parseSync, SqlError } from "libpg-query";
import { lowerPriority } from "../../process/lower-priority.ts";
import { judge } from "./judge.ts";
import type { JudgeRequest, Verdict } from "./verdict.ts";

/**
 * Runs PostgreSQL's grammar in a separate thread: a long statement takes seconds, and one that is nested too deeply
 * breaks the parser. Then the thread ends, and the next caller starts a new one.
 */
lowerPriority({ isWorker: true });
/*
 * Disables the optimising compiler for the grammar. After some statements, V8 would recompile it: the largest function
 * alone takes 600 MB and 1 to 2 s of another core, without a speed-up. Both flags apply when a module is loaded. They
 * are process-wide, but the process's only other WebAssembly module is small.
 */
setFlagsFromString("--no-wasm-tier-up");
setFlagsFromString("--no-wasm-dynamic-tiering");
parentPort?.on("message", async (request: JudgeRequest) => {
  await loadModule();
  parentPort?.postMessage(verdictOf(request));
});

function verdictOf(request: JudgeRequest): Verdict {
  try {
    return judge(request.query, request.readOnly, parseSync, request);
  } catch (error) {
    if (!(error instanceof SqlError)) throw error;
    const at = error.sqlDetails?.cursorPosition;
    return { status: "unknown", message: error.message, ...(at !== undefined && at >= 0 && { offset: at }) };
  }
}
