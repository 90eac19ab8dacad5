import { setFlagsFromString } from "node:v8";
import { parentPort } from "node:worker_threads";
import { loadModule, parseSync, SqlError } from "libpg-query";
import { giveRightOfWay } from "../../process/right-of-way.ts";
import { judge } from "./judge.ts";
import type { JudgeRequest, Verdict } from "./verdict.ts";

/**
 * PostgreSQL's grammar in a thread of its own: a long statement takes it seconds, and one that is nested too deep leaves
 * it broken. Then the thread ends, and whoever asks next starts a new one.
 */
giveRightOfWay({ isWorker: true });
/*
 * The engine would compile the grammar a second time, for speed, once it has read some statements: its largest function
 * alone takes 600 MB for a second or two of another core, and statements are read no faster afterwards. Both flags count
 * when a module is loaded; they are the whole process's, whose only other module of the kind is small.
 */
setFlagsFromString("--no-wasm-tier-up");
setFlagsFromString("--no-wasm-dynamic-tiering");
parentPort?.on("message", async ({ query, readOnly, statementFunctions }: JudgeRequest) => {
  await loadModule();
  parentPort?.postMessage(verdictOf(query, readOnly, statementFunctions));
});

function verdictOf(query: string, readOnly: boolean, statementFunctions: readonly string[]): Verdict {
  try {
    return judge(query, readOnly, parseSync, statementFunctions);
  } catch (error) {
    if (!(error instanceof SqlError)) throw error;
    const at = error.sqlDetails?.cursorPosition;
    return { status: "unknown", message: error.message, ...(at !== undefined && at >= 0 && { offset: at }) };
  }
}
