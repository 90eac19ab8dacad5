// @module-tag heavy
import { createServer } from "node:http";
import { gzipSync } from "node:zlib";
import { expect, onTestFinished, test } from "vitest";
import { listener, track } from "@/test/fixtures/net/listener";
import { testPolicy } from "@/test/fixtures/net/policy";
import { KeepAliveClient } from "./keep-alive-client";

const MIB = 1024 * 1024;
const LIMITS = { timeoutMs: 5000, maxResponseBytes: 64 * 1024 };

function kept(policy = testPolicy("all")): KeepAliveClient {
  const made = new KeepAliveClient("http", policy);
  onTestFinished(() => made.close());
  return made;
}

async function serving(answer: Parameters<typeof createServer>[1]) {
  let connections = 0;
  const server = createServer(answer).on("connection", () => {
    connections += 1;
  });
  const { port } = await track(server, "127.0.0.1", 0, () => connections);
  return { address: `http://127.0.0.1:${port}/`, connections: () => connections };
}

test("shares connections between requests to one server, and each response is whole", async () => {
  const { address, connections } = await serving((request, response) => {
    response.end(`${request.method} ${request.url} ${request.headers["x-kind"]}`);
  });
  const client = kept();
  for (const path of ["a?x=1", "b", "c", "d", "e", "f"]) {
    const answer = await client.fetch(`${address}${path}`, { ...LIMITS, headers: { "X-Kind": "k" } });
    expect([answer.status, answer.body.toString(), answer.isTruncated]).toEqual([200, `GET /${path} k`, false]);
  }
  // The next request may leave before the answer's connection is free again.
  expect(connections()).toBeLessThanOrEqual(2);
});

test("decompresses a response, and cuts one that expands without end (T78)", async () => {
  const bomb = gzipSync(Buffer.alloc(64 * MIB, "x"));
  const { address } = await serving((request, response) => {
    response.setHeader("content-encoding", "gzip");
    response.end(request.url === "/bomb" ? bomb : gzipSync('{"ok":true}'));
  });
  const client = kept();
  expect((await client.fetch(address, LIMITS)).body.toString()).toBe('{"ok":true}');
  const before = process.memoryUsage().rss;
  const cut = await client.fetch(`${address}bomb`, { ...LIMITS, maxResponseBytes: MIB });
  expect([cut.isTruncated, cut.body.length]).toEqual([true, MIB]);
  expect(process.memoryUsage().rss - before).toBeLessThan(32 * MIB);
});

test.each([
  ["br", "what nobody asked for"],
  ["gzip", "no gzip at all"],
])("reports a response in %s that is %s as a failure of the server", async (coding) => {
  const { address } = await serving((_, response) => {
    response.setHeader("content-encoding", coding);
    response.end("plain words");
  });
  await expect(kept().fetch(address, LIMITS)).rejects.toMatchObject({
    kind: "source_unreachable",
    details: { reason: "protocol" },
  });
});

test("T35 returns a redirect; T30, T34 does not dial an internal address", async () => {
  const canary = await listener((socket) => socket.destroy());
  const { address, connections } = await serving((_, response) => {
    response.writeHead(302, { location: `http://127.0.0.1:${canary.port}/` }).end();
  });
  expect((await kept().fetch(address, LIMITS)).status).toBe(302);
  expect(canary.hits()).toBe(0);
  const before = connections();
  await expect(kept(testPolicy("databases")).fetch(address, LIMITS)).rejects.toMatchObject({ kind: "address_refused" });
  expect(connections()).toBe(before);
});

test("T78 ends dripping bytes at the deadline, and the caller's abort with the caller's reason", async () => {
  const { address } = await serving((_, response) => {
    const drip = setInterval(() => response.write("x"), 20);
    response.once("close", () => clearInterval(drip));
  });
  await expect(kept().fetch(address, { ...LIMITS, timeoutMs: 300 })).rejects.toMatchObject({ kind: "timeout" });
  const left = new AbortController();
  setTimeout(() => left.abort(new Error("gone home")), 50);
  await expect(kept().fetch(address, { ...LIMITS, signal: left.signal })).rejects.toThrow("gone home");
});
