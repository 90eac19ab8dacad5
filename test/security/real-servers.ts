import { execFile } from "node:child_process";
import { request } from "node:http";
import { connect } from "node:net";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { childrenOf, type TestServer } from "@/test/servers/millrace";

const root = fileURLToPath(new URL("../../", import.meta.url));

export type Reply = {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  setCookie: string[];
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test says what it expects of the body, key by key
  json: any;
};
type Ask = { method?: string; body?: unknown; cookie?: string; key?: string; headers?: Record<string, string> };

/** Sends one request with exactly these headers, including Host and others that `fetch` controls. */
export function ask(
  server: TestServer,
  path: string,
  { method, body, cookie, key, headers }: Ask = {},
): Promise<Reply> {
  const text = body === undefined ? undefined : JSON.stringify(body);
  const { hostname, port } = new URL(server.url);
  return new Promise((resolve, reject) => {
    const outgoing = request(
      {
        hostname,
        port,
        path,
        method: method ?? (body === undefined ? "GET" : "POST"),
        headers: {
          ...(text !== undefined && { "Content-Type": "application/json" }),
          ...(cookie && { Cookie: cookie }),
          ...(key && { Authorization: `Bearer ${key}` }),
          ...headers,
        },
      },
      (answer) => {
        const parts: Buffer[] = [];
        answer.on("data", (part: Buffer) => parts.push(part));
        answer.once("error", reject);
        answer.once("end", () => {
          const received = Buffer.concat(parts).toString("utf8");
          const isJson = String(answer.headers["content-type"]).startsWith("application/json") && received !== "";
          resolve({
            status: answer.statusCode ?? 0,
            headers: answer.headers,
            setCookie: answer.headers["set-cookie"] ?? [],
            text: received,
            json: isJson ? JSON.parse(received) : undefined,
          });
        });
      },
    );
    outgoing.once("error", reject);
    outgoing.end(text);
  });
}

/** Sends raw bytes that no client would send. @returns the response's bytes until the server closes */
export function sendRaw(server: TestServer, bytes: string): Promise<string> {
  const { hostname, port } = new URL(server.url);
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    const socket = connect(Number(port), hostname, () => socket.write(bytes));
    socket.on("data", (part) => parts.push(part));
    socket.once("error", reject);
    socket.once("close", () => resolve(Buffer.concat(parts).toString("latin1")));
  });
}

/** Returns the resident memory of the server's web process, in bytes. */
export async function residentBytes(server: TestServer): Promise<number> {
  const [pid] = childrenOf(server.process.pid);
  const { stdout } = await promisify(execFile)("ps", ["-o", "rss=", "-p", String(pid)]);
  return Number(stdout.trim()) * 1024;
}

/** Runs one of the product's scripts as an operator does, beside the servers. */
export async function runScript(name: string, dataDir: string, args: string[] = []): Promise<string> {
  const env = { PATH: process.env.PATH, NODE_ENV: "production" as const, DATA_DIR: dataDir, MONGODB_URI: "" };
  const { stdout } = await promisify(execFile)(process.execPath, [`scripts/${name}.mjs`, ...args], { cwd: root, env });
  return stdout;
}

export function sessionOf(reply: Reply): string {
  const cookie = reply.setCookie.find((line) => line.startsWith("auth_session="));
  if (!cookie) throw new Error(`The answer sets no session: ${reply.text}`);
  return cookie.split(";")[0] ?? "";
}
