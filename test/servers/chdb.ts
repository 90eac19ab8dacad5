import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

export type ChDbAnswer = { ok: boolean; body: string };
export type ChDb = {
  /** Port of an HTTP interface like ClickHouse's own, for its driver. */
  port: number;
  ask(sql: string, options: { format: string; settings: Record<string, string> }): Promise<ChDbAnswer>;
  stop(): Promise<void>;
};

const START_TIMEOUT_MS = 30_000;
/** URL parameters that are not settings of a session. */
const OF_THE_REQUEST = new Set(["query_id", "database", "readonly", "default_format", "max_execution_time"]);

/**
 * Reads requests and writes responses, one JSON text a line. Each request has a separate session, as over HTTP. The
 * engine would read its standard input as data, so it gets none.
 */
const BRIDGE = `
import json, os, sys
out = os.fdopen(os.dup(1), "w")
source = os.fdopen(os.dup(0), "r", encoding="utf8", newline="\\n")
os.dup2(2, 1)
os.dup2(os.open("/dev/null", os.O_RDONLY), 0)
from chdb import session
engine = session.Session(sys.argv[1])
out.write("ready\\n"); out.flush()
for line in source:
    r = json.loads(line)
    own = session.Session(sys.argv[1])
    try:
        for setting in r["settings"]:
            own.query(setting, "Null")
        a = own.query(r["sql"], r["format"], params=r["params"])
        b = {"ok": True, "body": a.bytes().decode("utf8", "replace") if a else ""}
    except Exception as e:
        b = {"ok": False, "body": str(e)}
    own.close()
    out.write(json.dumps(b) + "\\n"); out.flush()
`;

/**
 * Starts ClickHouse's own engine, from the Python package chdb, behind an HTTP interface like the server's. It has no
 * users: names and passwords are ignored. A statement with `readonly=1` runs in a session that cannot leave that mode.
 * @returns null, with a message, if Python or the package is missing
 */
export async function startChDb(): Promise<ChDb | null> {
  const folder = mkdtempSync(join(tmpdir(), "millrace-chdb-"));
  const engine = await startEngine(join(folder, "data"));
  if (!engine) {
    rmSync(folder, { recursive: true, force: true });
    process.stderr.write(
      "\nNOT TESTED: chdb is not installed, so nothing was held against ClickHouse's own engine.\n\n",
    );
    return null;
  }
  let turn: Promise<unknown> = Promise.resolve();

  const run = async (sql: string, format: string, all: Record<string, string>): Promise<ChDbAnswer> => {
    const entries = Object.entries(all);
    const params = Object.fromEntries(
      entries.filter(([name]) => name.startsWith("param_")).map(([name, value]) => [name.slice(6), value]),
    );
    const settings = entries.filter(([name]) => !name.startsWith("param_") && !OF_THE_REQUEST.has(name));
    // Nothing can be set after it.
    if (all.readonly === "1") settings.push(["readonly", "1"]);
    return engine.ask(
      sql,
      format,
      params,
      settings.map(([name, value]) => `SET ${name} = '${value.replaceAll("'", "")}'`),
    );
  };
  const ask: ChDb["ask"] = (sql, { format, settings }) => {
    const answer = turn.then(() => run(sql, format, settings));
    turn = answer.catch(() => {});
    return answer;
  };

  const server = createServer(async (request, response) => {
    let sql = "";
    for await (const chunk of request.setEncoding("utf8")) sql += chunk;
    const settings = Object.fromEntries(new URL(request.url ?? "/", "http://bridge").searchParams);
    const format = settings.default_format ?? "TSV";
    const { ok, body } = await ask(sql, { format, settings }).catch((error) => ({ ok: false, body: String(error) }));
    response.setHeader("X-ClickHouse-Format", format);
    if (!ok) {
      response.statusCode = 500;
      response.setHeader("X-ClickHouse-Exception-Code", /Code: (\d+)/.exec(body)?.[1] ?? "0");
    }
    response.end(body);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    ask,
    stop: async () => {
      server.closeAllConnections();
      server.close();
      engine.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

type Engine = {
  ask(sql: string, format: string, params: Record<string, string>, settings: readonly string[]): Promise<ChDbAnswer>;
  stop(): void;
};

async function startEngine(path: string): Promise<Engine | null> {
  const child: ChildProcessWithoutNullStreams = spawn("python3", ["-c", BRIDGE, path], { stdio: "pipe" });
  const lines: ((line: string | null) => void)[] = [];
  const settle = (line: string | null) => lines.shift()?.(line);
  createInterface({ input: child.stdout }).on("line", settle);
  child.stderr.resume();
  child.stdin.on("error", () => {});
  let isOver = false;
  const end = () => {
    isOver = true;
    while (lines.length > 0) settle(null);
  };
  child.on("error", end);
  child.on("exit", end);
  const next = () => new Promise<string | null>((resolve) => lines.push(resolve));
  const timer = setTimeout(() => child.kill("SIGKILL"), START_TIMEOUT_MS);
  const isReady = (await next()) === "ready";
  clearTimeout(timer);
  if (!isReady) return null;
  return {
    async ask(sql, format, params, settings) {
      if (isOver) return { ok: false, body: "Code: 0. The engine has ended." };
      const line = next();
      child.stdin.write(`${JSON.stringify({ sql, format, params, settings })}\n`);
      const text = await line;
      return text === null ? { ok: false, body: "Code: 0. The engine has ended." } : (JSON.parse(text) as ChDbAnswer);
    },
    stop: () => void child.kill("SIGKILL"),
  };
}
