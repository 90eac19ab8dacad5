// @module-tag heavy
import { createServer as createTlsServer } from "node:tls";
import { expect, test } from "vitest";
import { TEST_CERTIFICATE, TEST_KEY } from "@/test/fixtures/net/certificate";
import { httpAnswer, listener, track } from "@/test/fixtures/net/listener";
import { testPolicy } from "@/test/fixtures/net/policy";
import { safeFetch } from "./safe-fetch";

const all = () => testPolicy("all");
const LIMITS = { purpose: "http", timeoutMs: 2000, maxResponseBytes: 64 * 1024 } as const;

test("receives a whole response: status, headers, exact bytes both ways", async () => {
  const received: Buffer[] = [];
  const { port } = await listener((socket) => {
    socket.on("data", (chunk) => {
      received.push(chunk);
      if (Buffer.concat(received).includes("\u{1f600}"))
        socket.end(httpAnswer("201 Created", { "X-Kind": "a" }, '{"ok":true}'));
    });
  });
  const answer = await safeFetch(
    `http://127.0.0.1:${port}/hook?x=1`,
    { ...LIMITS, method: "POST", headers: { "X-Service-Signature": "abc" }, body: Buffer.from('{"name":"\u{1f600}"}') },
    all(),
  );
  expect(answer).toMatchObject({ status: 201, isTruncated: false });
  expect(answer.headers.get("x-kind")).toBe("a");
  expect(answer.body.toString()).toBe('{"ok":true}');
  const request = Buffer.concat(received).toString();
  expect(request).toMatch(/^POST \/hook\?x=1 HTTP\/1\.1\r\n/);
  expect(request).toContain(`host: 127.0.0.1:${port}`);
  expect(request.toLowerCase()).toContain("x-service-signature: abc\r\n");
  expect(request.endsWith('\r\n\r\n{"name":"\u{1f600}"}')).toBe(true);
});

test.each([301, 302, 303, 307, 308])(
  "T35 treats a redirect %d to an internal address as a response",
  async (status) => {
    const canary = await listener((socket) => socket.destroy());
    const { port, hits } = await listener((socket) => {
      socket.end(httpAnswer(`${status} Moved`, { Location: `http://127.0.0.1:${canary.port}/` }));
    });
    expect((await safeFetch(`http://127.0.0.1:${port}/`, LIMITS, all())).status).toBe(status);
    expect(hits()).toBe(1);
    expect(canary.hits()).toBe(0);
  },
);

test.each(["200 OK", "204 No Content", "404 Not Found", "410 Gone", "500 Oops"])(
  "T79 treats %s as a response",
  async (line) => {
    const { port } = await listener((socket) => socket.end(`HTTP/1.1 ${line}\r\nConnection: close\r\n\r\n`));
    expect((await safeFetch(`http://127.0.0.1:${port}/`, LIMITS, all())).status).toBe(Number.parseInt(line, 10));
  },
);

test("T79 reports a missing response in a fixed word", async () => {
  const closing = await listener((socket) => socket.destroy());
  const nonsense = await listener((socket) => socket.end("SSH-2.0-OpenSSH_9.2\r\n"));
  const reasonOf = (address: string) =>
    safeFetch(address, LIMITS, all()).then(
      () => "answered",
      (error: { kind: string; details?: { reason: string } }) => `${error.kind} ${error.details?.reason}`,
    );
  expect(await reasonOf(`http://127.0.0.1:${closing.port}/`)).toBe("source_unreachable closed");
  expect(await reasonOf(`http://127.0.0.1:${nonsense.port}/`)).toBe("source_unreachable protocol");
  expect(await reasonOf(`https://127.0.0.1:${nonsense.port}/`)).toBe("source_unreachable tls");
  expect(await reasonOf("http://127.0.0.1:1/")).toBe("source_unreachable refused");
  expect(await reasonOf("http://nowhere.test/")).toBe("source_unreachable name");
});

test("T78 ends dripping bytes at the deadline", async () => {
  const { port } = await listener((socket) => {
    socket.write("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n");
    // The whole response takes 20 s, so a read that ignores the deadline would get all of it.
    const drip = setInterval(() => socket.write("x"), 20);
    socket.once("close", () => clearInterval(drip));
  });
  await expect(safeFetch(`http://127.0.0.1:${port}/`, { ...LIMITS, timeoutMs: 300 }, all())).rejects.toMatchObject({
    kind: "timeout",
    status: 504,
  });
});

test.each(["a look-up", "a connection", "headers"])("T78 applies the deadline to %s that never comes", async (what) => {
  const { port } = await listener();
  const policy = all();
  const never = new Promise<string[]>(() => {});
  if (what === "a look-up") policy.resolve = () => never;
  if (what === "a connection") policy.ownEndpoints = () => never.then(() => []);
  const host = what === "a look-up" ? "slow.test" : "127.0.0.1";
  await expect(safeFetch(`http://${host}:${port}/`, { ...LIMITS, timeoutMs: 200 }, policy)).rejects.toMatchObject({
    kind: "timeout",
  });
});

test("T78 reads the allowed bytes of an endless body and closes the connection", async () => {
  const chunk = Buffer.alloc(16 * 1024, "x");
  let sent = 0;
  const closed = Promise.withResolvers<void>();
  const { port } = await listener((socket) => {
    socket.write("HTTP/1.1 200 OK\r\nContent-Length: 1073741824\r\n\r\n");
    const pump = () => {
      while (!socket.destroyed) {
        sent += chunk.length;
        if (!socket.write(chunk)) break;
      }
    };
    socket.on("drain", pump).once("close", () => closed.resolve());
    pump();
  });
  const answer = await safeFetch(`http://127.0.0.1:${port}/`, LIMITS, all());
  expect(answer).toMatchObject({ status: 200, isTruncated: true });
  expect(answer.body.length).toBe(64 * 1024);
  await closed.promise;
  // The kernel's buffers may have taken some bytes: we do not hold them, and they are far less than a gigabyte.
  expect(sent).toBeLessThan(32 * 1024 * 1024);
});

test("keeps a response of exactly the allowed size", async () => {
  const { port } = await listener((socket) => socket.end(httpAnswer("200 OK", {}, "12345")));
  const answer = await safeFetch(`http://127.0.0.1:${port}/`, { ...LIMITS, maxResponseBytes: 5 }, all());
  expect(answer).toMatchObject({ isTruncated: false });
  expect(answer.body.toString()).toBe("12345");
});

test("T78 refuses endless headers", async () => {
  const { port } = await listener((socket) => {
    socket.write("HTTP/1.1 200 OK\r\n");
    const more = setInterval(() => socket.write(`X-More: ${"y".repeat(4000)}\r\n`), 5);
    socket.once("close", () => clearInterval(more));
  });
  await expect(safeFetch(`http://127.0.0.1:${port}/`, LIMITS, all())).rejects.toMatchObject({
    kind: "source_unreachable",
    details: { reason: "protocol" },
  });
});

test("ends with the caller's reason on the caller's abort", async () => {
  const { port } = await listener();
  const left = new AbortController();
  setTimeout(() => left.abort(new Error("gone home")), 50);
  await expect(safeFetch(`http://127.0.0.1:${port}/`, { ...LIMITS, signal: left.signal }, all())).rejects.toThrow(
    "gone home",
  );
  await expect(safeFetch(`http://127.0.0.1:${port}/`, { ...LIMITS, signal: left.signal }, all())).rejects.toThrow(
    "gone home",
  );
});

test("uses no connection twice", async () => {
  const { port, hits } = await listener((socket) => {
    socket.on("data", () => socket.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: keep-alive\r\n\r\n"));
  });
  await safeFetch(`http://127.0.0.1:${port}/`, LIMITS, all());
  await safeFetch(`http://127.0.0.1:${port}/`, LIMITS, all());
  expect(hits()).toBe(2);
});

test.each<Record<string, string>>([
  { Host: "evil.test" },
  { "Transfer-Encoding": "chunked" },
  { "Content-Length": "0" },
  { Connection: "upgrade" },
  { "X-A": "b\r\nX-C: d" },
  { "X-A": "b\u0000" },
  { "X A": "b" },
  { "X-A": "\u{1f600}" },
])("T36 refuses the header %j before sending anything", async (headers) => {
  const canary = await listener();
  const sent = safeFetch(`http://127.0.0.1:${canary.port}/`, { ...LIMITS, headers }, all());
  await expect(sent).rejects.toMatchObject({ kind: "invalid_request" });
  expect(canary.hits()).toBe(0);
});

test("sends the requested name in TLS and verifies the certificate against it", async () => {
  const names: unknown[] = [];
  const server = createTlsServer({ cert: TEST_CERTIFICATE, key: TEST_KEY });
  server.on("secureConnection", (socket) => names.push(socket.servername));
  server.on("tlsClientError", () => {});
  const { port } = await track(server, "127.0.0.1", 0, () => 0);
  const policy = testPolicy("all", { names: { "secure.test": [["127.0.0.1"]] } });
  await expect(safeFetch(`https://secure.test:${port}/`, LIMITS, policy)).rejects.toMatchObject({
    kind: "source_unreachable",
    details: { reason: "tls" },
  });
  expect(policy.lookups).toEqual(["secure.test"]);
});
