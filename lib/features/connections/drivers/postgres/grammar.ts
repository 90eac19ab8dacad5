import "server-only";
import { SETTING_FUNCTION, STATEMENT_FUNCTIONS } from "@/lib/platform/embedded/grammar/functions";
import type { JudgeRequest, Use, Verdict } from "@/lib/platform/embedded/grammar/verdict";
import { AppError } from "@/lib/platform/http/errors";
import { LimitedThreads, type ThreadLimits, ThreadsBusy } from "@/lib/platform/process/limited-threads";
import { serverMember } from "@/lib/platform/process/server-context";
import { ThreadEnded } from "@/lib/platform/process/thread-pool";
import { shapeOf } from "./statement-shape";

/**
 * Maximum characters of statements for the thread of short ones, which takes at most about 0.1 s each: long statements
 * never delay them.
 */
const SHORT_CHARS_MAX = 32 * 1024;
/** Stack for deep statements: the grammar recurses once per operator. */
const STACK_MIB = 64;
const SHORT: ThreadLimits = {
  count: 1,
  timeoutMs: 5000,
  queueMax: 2000,
  tenantQueueMax: 200,
  heapMib: 256,
  stackMib: STACK_MIB,
};
/**
 * Limits for long statements. The grammar takes about 4 s for a megabyte, whose tree has up to 450 MB; people write
 * none that takes longer. A thread that reaches its heap limit ends the whole process.
 */
const LONG: ThreadLimits = {
  count: 1,
  timeoutMs: 15_000,
  queueMax: 100,
  tenantQueueMax: 10,
  heapMib: 1024,
  stackMib: STACK_MIB,
};
/** Maximum characters of a statement, the size of a request body, so that none comes near the heap limit. */
const STATEMENT_CHARS_MAX = 1024 * 1024;
const CACHED_MAX = 500;
const CACHED_CHARS_MAX = 4000;
const RETRY_AFTER_SECONDS = 5;

type Threads = LimitedThreads<JudgeRequest, Verdict>;
export type GrammarThreads = { short: Threads; long: Threads; cache: Map<string, Verdict> };

const TOO_COMPLEX: Verdict = {
  status: "refused",
  kind: "query_failed",
  message: "The statement is too long or too deeply nested. Simplify it.",
};

const grammar = serverMember("postgresGrammar", () => ({
  short: new LimitedThreads("grammar", SHORT),
  long: new LimitedThreads("grammar", LONG),
  cache: new Map(),
}));

/**
 * Checks a statement with PostgreSQL's grammar; a syntax error is refused.
 * @param statementFunctions functions beyond the built-in ones that run text arguments
 * @param tenant the statement's workspace: workspaces share threads fairly
 * @param isInSession see `JudgeRequest`
 * @throws AppError `unavailable` when too many long statements wait
 */
export async function judgeStatement(
  query: string,
  readOnly: boolean,
  statementFunctions: readonly string[],
  tenant: string,
  isInSession = false,
): Promise<Verdict> {
  if (query.length > STATEMENT_CHARS_MAX) return TOO_COMPLEX;
  const state = grammar();
  const key = JSON.stringify([readOnly, statementFunctions, isInSession, query]);
  // Apart from the key of a statement that has the same text as the shape. In a session, values may be of settings.
  const shape = readOnly && !isInSession ? JSON.stringify(["shape", statementFunctions, shapeOf(query)]) : null;
  const known = state.cache.get(key) ?? (shape === null ? undefined : state.cache.get(shape));
  if (known) return known;
  const threads = query.length <= SHORT_CHARS_MAX ? state.short : state.long;
  const verdict = await ask(threads, { query, readOnly, statementFunctions, isInSession }, tenant);
  // A thread that ended says nothing about the statement's next check.
  if (query.length <= CACHED_CHARS_MAX && verdict !== TOO_COMPLEX) {
    const isOfShape = shape !== null && verdict.status === "ok" && !verdict.uses.some(isOfText(statementFunctions));
    remember(state.cache, isOfShape ? shape : key, verdict);
  }
  return verdict;
}

/** Returns whether a name was found in a string of the statement, or a call reads one. */
const isOfText =
  (statementFunctions: readonly string[]) =>
  ({ kind, name }: Use) =>
    kind === "s" || name === SETTING_FUNCTION || STATEMENT_FUNCTIONS.has(name) || statementFunctions.includes(name);

async function ask(threads: Threads, request: JudgeRequest, tenant: string): Promise<Verdict> {
  try {
    return await threads.run(request, tenant);
  } catch (error) {
    if (error instanceof ThreadEnded) return TOO_COMPLEX;
    if (!(error instanceof ThreadsBusy)) throw error;
    throw new AppError("unavailable", "Too many long statements are being checked. Try again in a moment.", {
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    });
  }
}

function remember(cache: Map<string, Verdict>, key: string, verdict: Verdict): void {
  cache.set(key, verdict);
  const oldest = cache.keys().next().value;
  if (cache.size > CACHED_MAX && oldest !== undefined) cache.delete(oldest);
}
