import { once } from "node:events";
import { request as httpsRequest } from "node:https";
import { createServer as createTlsServer } from "node:tls";
import { expect, test } from "vitest";
import { TEST_CERTIFICATE, TEST_KEY } from "@/test/fixtures/net/certificate";
import { httpAnswer, listener, track } from "@/test/fixtures/net/listener";
import { testPolicy } from "@/test/fixtures/net/policy";
import { fetchThrough } from "./fetch-through";
import { guardedHttpAgent } from "./http-agent";

test("streams a response: its first part arrives before its last is sent", async () => {
  const goOn = Promise.withResolvers<void>();
  const { port } = await listener(async (socket) => {
    socket.write("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\ndata: one\n\n");
    await goOn.promise;
    socket.end("data: two\n\n");
  });
  const response = await fetchThrough("platform", testPolicy("none"))(`http://127.0.0.1:${port}/v1/chat`);
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  expect(Buffer.from((await reader.read()).value ?? []).toString()).toBe("data: one\n\n");
  goOn.resolve();
  expect(Buffer.from((await reader.read()).value ?? []).toString()).toBe("data: two\n\n");
});

test("T35 returns a redirect unfollowed", async () => {
  const canary = await listener();
  const { port } = await listener((socket) => {
    socket.end(httpAnswer("307 Moved", { Location: `http://127.0.0.1:${canary.port}/` }));
  });
  const response = await fetchThrough("http", testPolicy("all"))(`http://127.0.0.1:${port}/`, { redirect: "follow" });
  expect(response.status).toBe(307);
  expect(canary.hits()).toBe(0);
});

test("T36 refuses an address of another scheme", async () => {
  const guarded = fetchThrough("http", testPolicy("all"));
  for (const address of ["file:///etc/passwd", "data:text/plain,x", "http://u:p@127.0.0.1/", "http://127.0.0.1:25/"]) {
    await expect(guarded(address)).rejects.toMatchObject({ kind: "invalid_request" });
  }
});

test("reports a failure in fixed words, and the caller's abort as the caller's", async () => {
  const guarded = fetchThrough("http", testPolicy("all"));
  await expect(guarded("http://127.0.0.1:1443/")).rejects.toMatchObject({ details: { reason: "refused" } });
  const { port } = await listener();
  const signal = AbortSignal.timeout(50);
  await expect(guarded(`http://127.0.0.1:${port}/`, { signal })).rejects.toMatchObject({ name: "TimeoutError" });
});

test("sends the requested name in TLS and keeps the connection alive", async () => {
  let connections = 0;
  const server = createTlsServer({ cert: TEST_CERTIFICATE, key: TEST_KEY });
  server.on("secureConnection", (socket) => {
    connections += 1;
    socket.on("data", () => socket.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"));
  });
  const { port } = await track(server, "127.0.0.1", 0, () => connections);
  const policy = testPolicy("databases", { names: { "secure.test": [["127.0.0.1"]] } });
  const agent = guardedHttpAgent("database", { tls: { ca: TEST_CERTIFICATE } }, policy);
  for (let turn = 0; turn < 2; turn += 1) {
    const [response] = await once(httpsRequest({ host: "secure.test", port, agent }).end(), "response");
    await once(response.resume(), "end");
    expect(response.statusCode).toBe(200);
    // The connection goes back to the agent a moment later.
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(connections).toBe(1);
  agent.destroy();
});
