import "server-only";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { ParseRequest, SyntaxFault } from "@/lib/platform/embedded/engine/wire";
import { env } from "@/lib/platform/env";
import { AppError } from "@/lib/platform/http/errors";
import { log } from "@/lib/platform/log";
import { absolutePath } from "@/lib/platform/process/paths";
import { serverMember } from "@/lib/platform/process/server-context";
import { EngineClient } from "./client";
import { type EngineLease, leaseEngine } from "./service";

const OWNER_ONLY_FOLDER = 0o700;
/** Maximum time of one text, in ms. Texts of 16 KiB take a few, and many times as long on a busy machine. */
const TIMEOUT_MS = 10_000;
/** Idle time after which the process ends, in ms. It costs some 80 MB. */
const IDLE_MS = 60_000;
/** Time without checks after a text that took too long or ended the process, in ms: no push waits for many of them. */
const REST_MS = 10_000;

type Parser = { client: EngineClient; lease: EngineLease };
export type ParserEngine = { parser: Promise<Parser> | null; idle: NodeJS.Timeout | null; restsUntil: number };

const engine = serverMember("parserEngine", (): ParserEngine => ({ parser: null, idle: null, restsUntil: 0 }), {
  phase: "clients",
  close: end,
});

/**
 * Finds a syntax error in a text by DuckDB's or SQLite's own parser, in a process without files, which a text cannot
 * leave. Nothing runs.
 * @returns null without an error; also where no process is available, or the text breaks it
 */
export async function findEngineFault(dialect: ParseRequest["dialect"], text: string): Promise<SyntaxFault | null> {
  const state = engine();
  if (env().isVercel || performance.now() < state.restsUntil) return null;
  if (state.idle) clearTimeout(state.idle);
  state.idle = null;
  try {
    state.parser ??= start(state);
    const { client } = await state.parser;
    return (await client.ask({ type: "parse", dialect, text }, AbortSignal.timeout(TIMEOUT_MS))).fault;
  } catch (error) {
    if (!(error instanceof AppError) && !isTimeout(error) && state.parser !== null) throw error;
    state.restsUntil = performance.now() + REST_MS;
    log.warn({ err: error, dialect }, "syntax errors are not found for a moment: the parser does not respond");
    return null;
  } finally {
    state.idle ??= setTimeout(() => void end(state), IDLE_MS).unref();
  }
}

/** A start that failed, for example without disk space, is tried again. */
async function start(state: ParserEngine): Promise<Parser> {
  try {
    return await startProcess();
  } catch (error) {
    state.parser = null;
    throw error;
  }
}

async function startProcess(): Promise<Parser> {
  // The only thing that the process sees is an empty folder.
  const folder = join(absolutePath(env().DATA_DIR), "parser");
  await mkdir(folder, { recursive: true, mode: OWNER_ONLY_FOLDER });
  // Each server process has its own: a socket belongs to one engine.
  const path = join(folder, `server-${process.pid}`);
  const lease = await leaseEngine({ kind: "memory", path, readOnlyFile: false, trusted: true });
  // A start takes longer than a text.
  try {
    await lease.socket();
  } catch (error) {
    await lease.release();
    throw error;
  }
  return { client: new EngineClient(lease.socket), lease };
}

async function end(state: ParserEngine): Promise<void> {
  if (state.idle) clearTimeout(state.idle);
  const parser = await state.parser?.catch(() => null);
  state.parser = null;
  state.idle = null;
  await parser?.client.close();
  await parser?.lease.release();
}

function isTimeout(error: unknown): boolean {
  return error instanceof DOMException && error.name === "TimeoutError";
}
