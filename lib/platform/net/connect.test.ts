import { once } from "node:events";
import { createServer as createTlsServer } from "node:tls";
import { expect, test } from "vitest";
import { TEST_CERTIFICATE, TEST_KEY } from "@/test/fixtures/net/certificate";
import { listener, track } from "@/test/fixtures/net/listener";
import { testPolicy } from "@/test/fixtures/net/policy";
import { openSocket } from "./connect";
import { GuardedSocket } from "./guarded-socket";

const names = { "secure.test": [["127.0.0.1"]], "other.test": [["127.0.0.1"]] };

async function tlsEcho() {
  const seen: unknown[] = [];
  const server = createTlsServer({ cert: TEST_CERTIFICATE, key: TEST_KEY, ALPNProtocols: ["http/1.1"] });
  server.on("secureConnection", (socket) => {
    seen.push(socket.servername);
    socket.pipe(socket);
  });
  server.on("tlsClientError", () => {});
  return { ...(await track(server, "127.0.0.1", 0, () => 0)), seen };
}

test("pins a TLS socket by address and verifies the host name", async () => {
  const { port, seen } = await tlsEcho();
  const policy = testPolicy("databases", { names });
  const socket = await openSocket(
    { purpose: "database", host: "secure.test", port, tls: { ca: TEST_CERTIFICATE }, timeoutMs: 2000 },
    policy,
  );
  socket.write("ping");
  expect(String((await once(socket, "data"))[0])).toBe("ping");
  expect(seen).toEqual(["secure.test"]);
  expect(policy.lookups).toEqual(["secure.test"]);
  socket.destroy();
});

test("rejects a certificate for another name", async () => {
  const { port } = await tlsEcho();
  const open = openSocket(
    { purpose: "database", host: "other.test", port, tls: { ca: TEST_CERTIFICATE }, timeoutMs: 2000 },
    testPolicy("databases", { names }),
  );
  await expect(open).rejects.toMatchObject({ kind: "source_unreachable", details: { reason: "tls" } });
});

test("times out a TLS handshake that never ends, and closes the socket", async () => {
  const closed = Promise.withResolvers<void>();
  const { port } = await listener((socket) => socket.once("close", () => closed.resolve()).resume());
  const open = openSocket(
    { purpose: "database", host: "127.0.0.1", port, tls: {}, timeoutMs: 200 },
    testPolicy("databases"),
  );
  await expect(open).rejects.toMatchObject({ kind: "timeout" });
  await closed.promise;
});

test("checks the address that a driver's own stream dials", async () => {
  const canary = await listener();
  const socket = new GuardedSocket("http", testPolicy("databases"));
  const [error] = await once(socket.connect(canary.port, "127.0.0.1"), "error").catch((thrown: unknown) => [thrown]);
  expect(error).toMatchObject({ kind: "address_refused" });
  expect(socket.destroyed).toBe(true);
  expect(canary.hits()).toBe(0);
});

test.each([["/tmp/store.sock"], [{ path: "/tmp/store.sock" }], [5432], [{ port: 5432 }]])(
  "refuses to connect to %j, which names no host",
  async (target) => {
    const socket = new GuardedSocket("database", testPolicy("all"));
    await expect(once(socket.connect(target), "connect")).rejects.toMatchObject({ kind: "address_refused" });
  },
);

test("delivers data written before the connection is established", async () => {
  const received = Promise.withResolvers<string>();
  const { port } = await listener((socket) => socket.once("data", (chunk) => received.resolve(String(chunk))));
  const socket = new GuardedSocket("database", testPolicy("databases")).connect({ host: "127.0.0.1", port });
  socket.write("early");
  expect(await received.promise).toBe("early");
  socket.destroy();
});

test("does not dial if it is destroyed during the check", async () => {
  const canary = await listener();
  const policy = testPolicy("databases");
  const answer = Promise.withResolvers<string[]>();
  policy.resolve = () => answer.promise;
  const socket = new GuardedSocket("database", policy).connect({ host: "slow.test", port: canary.port });
  socket.destroy();
  answer.resolve(["127.0.0.1"]);
  await once(socket, "close");
  await new Promise((resolve) => setImmediate(resolve));
  expect(socket.connecting).toBe(false);
  expect(canary.hits()).toBe(0);
});

test("uses the next checked address of a name if the first does not answer", async () => {
  const { port, hits } = await listener((socket) => socket.end("hello"), "127.0.0.2");
  // Other programs of the machine may listen on 127.0.0.1, and on the same port.
  const policy = testPolicy("databases", { names: { "two.test": [["127.0.0.3", "127.0.0.2"]] } });
  const socket = await openSocket({ purpose: "database", host: "two.test", port, timeoutMs: 3000 }, policy);
  expect(String((await once(socket, "data"))[0])).toBe("hello");
  expect(hits()).toBe(1);
  expect(policy.lookups).toEqual(["two.test"]);
});
