import "server-only";
import { Worker } from "node:worker_threads";
import type { JudgeAnswer, JudgeRequest, Verdict } from "@/lib/embedded/grammar/verdict";
import { childEntry } from "@/lib/process/entries";
import { sharedState } from "@/lib/process/shared-state";

/** The grammar takes about 4 s for a megabyte; whoever needs more writes no statement for people. */
const JUDGE_TIMEOUT_MS = 15_000;
/** For deep statements: the grammar recurses once an operator. */
const STACK_MIB = 64;
/** A tree of a megabyte of text is some 200 MB. */
const HEAP_MIB = 1024;
const CACHED_MAX = 500;
const CACHED_CHARS_MAX = 4000;

type Pending = { request: JudgeRequest; resolve: (verdict: Verdict) => void };
type State = { worker: Worker | null; pending: Map<number, Pending>; nextId: number; cache: Map<string, Verdict> };

const TOO_COMPLEX: Verdict = {
  status: "refused",
  kind: "query_failed",
  message: "The statement is too long or too deeply nested to be read. Make it simpler.",
};

/**
 * What PostgreSQL's own grammar says about a statement; one that breaks the grammar is refused.
 * @param statementFunctions functions beyond the built-in ones that run the texts they are given
 */
export async function judgeStatement(
  query: string,
  readOnly: boolean,
  statementFunctions: readonly string[] = [],
): Promise<Verdict> {
  const state = sharedState("postgres-grammar", (): State => {
    return { worker: null, pending: new Map(), nextId: 1, cache: new Map() };
  });
  const key = JSON.stringify([readOnly, statementFunctions, query]);
  const known = state.cache.get(key);
  if (known) return known;
  const verdict = await ask(state, { query, readOnly, statementFunctions });
  if (query.length <= CACHED_CHARS_MAX) remember(state.cache, key, verdict);
  return verdict;
}

function ask(state: State, question: Omit<JudgeRequest, "id">): Promise<Verdict> {
  const request: JudgeRequest = { ...question, id: state.nextId };
  state.nextId += 1;
  return new Promise((resolve) => {
    const timer = setTimeout(() => void state.worker?.terminate(), JUDGE_TIMEOUT_MS);
    state.pending.set(request.id, {
      request,
      resolve: (verdict) => {
        clearTimeout(timer);
        resolve(verdict);
      },
    });
    state.worker ??= startWorker(state);
    state.worker.ref();
    state.worker.postMessage(request);
  });
}

function startWorker(state: State): Worker {
  const worker = new Worker(/* turbopackIgnore: true */ childEntry("grammar"), {
    // No setting and no secret of the platform is in the thread's reach.
    env: {},
    resourceLimits: { stackSizeMb: STACK_MIB, maxOldGenerationSizeMb: HEAP_MIB },
  });
  worker.on("message", ({ id, verdict }: JudgeAnswer) => {
    const pending = state.pending.get(id);
    state.pending.delete(id);
    if (state.pending.size === 0) worker.unref();
    pending?.resolve(verdict);
  });
  // The exit that follows does what has to be done.
  worker.on("error", () => {});
  worker.on("exit", () => {
    state.worker = null;
    // It works in order, so the first one is what ended it; the others go to its successor.
    const [broken, ...rest] = state.pending.values();
    if (broken) {
      state.pending.delete(broken.request.id);
      broken.resolve(TOO_COMPLEX);
    }
    if (rest.length === 0) return;
    const successor = startWorker(state);
    state.worker = successor;
    for (const { request } of rest) successor.postMessage(request);
  });
  return worker;
}

function remember(cache: Map<string, Verdict>, key: string, verdict: Verdict): void {
  cache.set(key, verdict);
  const oldest = cache.keys().next().value;
  if (cache.size > CACHED_MAX && oldest !== undefined) cache.delete(oldest);
}
