import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it, vi } from "vitest";

/** Deadlines of 8 s and 10 s that are checked each second, on a busy machine. */
const CUT_WITHIN_MS = 25_000;
const TEST_TIMEOUT_MS = 60_000;
const MIB = 1024 * 1024;

let server: ChildProcess;
let port: number;

beforeAll(async () => {
  const program = fileURLToPath(new URL("../../../test/fixtures/http/limited-server.ts", import.meta.url));
  server = fork(program, { execArgv: [] });
  const [ready] = await once(server, "message");
  port = ready.port;
});
afterAll(() => void server.kill("SIGKILL"));

type Client = { socket: Socket; text: () => string; closed: Promise<void>; isClosed: () => boolean };

async function open(first: string): Promise<Client> {
  const socket = connect(port, "127.0.0.1");
  let text = "";
  let isClosed = false;
  socket.setEncoding("utf8").on("data", (part: string) => {
    text += part;
  });
  socket.on("error", () => {});
  const closed = new Promise<void>((resolve) => {
    socket.once("close", () => {
      isClosed = true;
      resolve();
    });
  });
  await once(socket, "connect");
  if (first !== "") socket.write(first);
  return { socket, text: () => text, closed, isClosed: () => isClosed };
}

const headersOf = (bytes: number, path = "/") =>
  `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${bytes}\r\n\r\n`;
const within = (client: Client) =>
  Promise.race([client.closed.then(() => "cut"), sleep(CUT_WITHIN_MS, "still there", { ref: false })]);

it.concurrent("closes four hundred connections that never finish their headers", {
  timeout: TEST_TIMEOUT_MS,
}, async () => {
  const starts = ["", "GET / HTTP/1.1\r\n", "GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: "];
  const clients = await Promise.all(Array.from({ length: 400 }, (_, index) => open(starts[index % 3] ?? "")));
  expect(new Set(await Promise.all(clients.map(within)))).toEqual(new Set(["cut"]));
});

it.concurrent("does not extend the time for a header that drips", { timeout: TEST_TIMEOUT_MS }, async () => {
  const client = await open("GET / HTTP/1.1\r\nHost: localhost\r\n");
  const timer = setInterval(() => client.socket.write("X: y\r\n"), 200);
  expect(await within(client)).toBe("cut");
  clearInterval(timer);
});

it.concurrent("answers 408 to two hundred bodies that stop or drip, and closes them (T72)", {
  timeout: TEST_TIMEOUT_MS,
}, async () => {
  const clients = await Promise.all(Array.from({ length: 200 }, () => open(`${headersOf(1_000_000)}{`)));
  const timer = setInterval(() => {
    for (const { socket } of clients.slice(0, 100)) if (socket.writable) socket.write("x");
  }, 200);
  expect(new Set(await Promise.all(clients.map(within)))).toEqual(new Set(["cut"]));
  clearInterval(timer);
  expect(clients[0]?.text()).toContain("408 Request Timeout");
});

it.concurrent("accepts a slow body that keeps moving, however long it takes", {
  timeout: TEST_TIMEOUT_MS,
}, async () => {
  const pieces = 60;
  const piece = "x".repeat(2048);
  const client = await open(headersOf(pieces * piece.length));
  for (let sent = 0; sent < pieces; sent += 1) {
    client.socket.write(piece);
    await sleep(250);
  }
  await vi.waitFor(() => expect(client.text()).toContain(`took ${pieces * piece.length}`), CUT_WITHIN_MS);
  client.socket.destroy();
});

it.concurrent("does not blame the client for a body that the server reads late", {
  timeout: TEST_TIMEOUT_MS,
}, async () => {
  const client = await open(headersOf(4_000_000, "/late") + "x".repeat(4_000_000));
  await vi.waitFor(() => expect(client.text()).toContain("took 4000000"), CUT_WITHIN_MS);
  client.socket.destroy();
});

it.concurrent("keeps a long response open", { timeout: TEST_TIMEOUT_MS }, async () => {
  const client = await open("GET /stream HTTP/1.1\r\nHost: localhost\r\n\r\n");
  await vi.waitFor(() => expect(client.text()).toContain("event 13"), CUT_WITHIN_MS);
  expect(client.isClosed()).toBe(false);
  client.socket.destroy();
});

it.concurrent.each(["/refuse", "/refuse/begun"])(
  "lets a client that sends its whole body before it reads get the 413 of %s",
  { timeout: TEST_TIMEOUT_MS },
  async (path) => {
    const bytes = 8 * MIB;
    const client = await open("");
    let failure: Error | null = null;
    client.socket.on("error", (error) => {
      failure = error;
    });
    client.socket.pause();
    client.socket.write(headersOf(bytes, path));
    for (let sent = 0; sent < bytes; sent += MIB) {
      await new Promise((resolve) => client.socket.write(Buffer.alloc(MIB, 32), resolve));
    }
    client.socket.resume();
    await client.closed;
    expect([failure, client.text()]).toEqual([null, expect.stringMatching(/^HTTP\/1.1 413 .*too large/s)]);
  },
);

it.concurrent("cuts an endless body some time after its 413", { timeout: TEST_TIMEOUT_MS }, async () => {
  const client = await open(`POST /refuse HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n`);
  const chunk = Buffer.from(`10000\r\n${" ".repeat(0x10000)}\r\n`);
  const send = () => {
    while (!client.isClosed() && client.socket.write(chunk));
  };
  client.socket.on("drain", send);
  send();
  expect(await within(client)).toBe("cut");
  expect(client.text()).toMatch(/^HTTP\/1.1 413 /);
});

it.concurrent("serves the next request on a connection that stays open after a 413", {
  timeout: TEST_TIMEOUT_MS,
}, async () => {
  const client = await open(headersOf(2 * MIB, "/refuse/stay"));
  await vi.waitFor(() => expect(client.text()).toContain("too large"), CUT_WITHIN_MS);
  client.socket.write(Buffer.alloc(2 * MIB, 32));
  client.socket.write(`${headersOf(4)}next`);
  await vi.waitFor(() => expect(client.text()).toContain("took 4"), CUT_WITHIN_MS);
  client.socket.destroy();
});

it("answers a health check before five hundred earlier requests, and then all of those (F15)", {
  timeout: TEST_TIMEOUT_MS,
}, async () => {
  const all = await Promise.all(Array.from({ length: 500 }, () => open("")));
  const asking = await open("");
  const leaving = await Promise.all(Array.from({ length: 20 }, () => open("")));
  for (const { socket } of all) socket.write("GET /work HTTP/1.1\r\nHost: localhost\r\n\r\n");
  asking.socket.write("GET /api/health HTTP/1.1\r\nHost: localhost\r\n\r\n");
  for (const { socket } of leaving) socket.end("GET /work HTTP/1.1\r\nHost: localhost\r\n\r\n").destroy();
  await vi.waitFor(() => expect(asking.text()).toContain("begun"), CUT_WITHIN_MS);
  // 5 s of work: on any machine the check arrives long before half of it.
  expect(Number(/begun (\d+)\./.exec(asking.text())?.[1])).toBeLessThan(250);
  await vi.waitFor(() => {
    for (const client of all) expect(client.text()).toContain("took 0");
  }, CUT_WITHIN_MS);
  for (const { socket } of [...all, asking]) socket.destroy();
});
