import { once } from "node:events";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { closeServerMember } from "@/lib/platform/process/server-context";
import { listener } from "@/test/fixtures/net/listener";
import { testPolicy } from "@/test/fixtures/net/policy";
import { askSocks } from "@/test/fixtures/net/socks-client";
import type { EgressPolicy } from "./policy";
import { mongoProxyOptions, openSocksDoor } from "./socks";

async function door(policy: EgressPolicy) {
  const opened = await openSocksDoor(policy);
  onTestFinished(() => opened.close());
  return opened.options;
}

test("passes bytes both ways, in any number, to the last", async () => {
  const size = 3_000_000;
  const { port } = await listener((socket) => socket.pipe(socket));
  const options = await door(testPolicy("databases", { names: { "db.test": [["127.0.0.1"]] } }));
  const { code, socket } = await askSocks(options, { host: "db.test", port });
  expect(code).toBe(0);
  socket.end("x".repeat(size));
  expect((await text(socket)).length).toBe(size);
});

test("T37 checks servers that a database names: 0 connections to a loopback canary", async () => {
  const canary = await listener();
  const options = await door(
    testPolicy("none", { names: { "second.test": [["127.0.0.1"]], localhost: [["127.0.0.1"]] } }),
  );
  for (const host of ["127.0.0.1", "::1", "localhost", "second.test", "169.254.169.254", "::ffff:127.0.0.1", "127.1"]) {
    expect((await askSocks(options, { host, port: canary.port })).code, host).toBe(2);
  }
  expect(canary.hits()).toBe(0);
});

test("T33 looks a name up once for each connection", async () => {
  const { port } = await listener();
  const policy = testPolicy("databases", { names: { "db.test": [["127.0.0.1"]] } });
  const options = await door(policy);
  await askSocks(options, { host: "db.test", port });
  expect(policy.lookups).toEqual(["db.test"]);
});

test("has codes for a refused connection and an unknown name", async () => {
  const options = await door(testPolicy("databases"));
  expect((await askSocks(options, { host: "127.0.0.1", port: 1 })).code).toBe(5);
  expect((await askSocks(options, { host: "nowhere.test", port: 1 })).code).toBe(4);
});

test("supports CONNECT only", async () => {
  const options = await door(testPolicy("databases"));
  expect((await askSocks(options, { host: "127.0.0.1", port: 1, command: 2 })).code).toBe(7);
  expect((await askSocks(options, { host: "127.0.0.1", port: 1, command: 3 })).code).toBe(7);
});

test("requires the password of this process", async () => {
  const canary = await listener();
  const options = await door(testPolicy("databases"));
  const target = { host: "127.0.0.1", port: canary.port };
  expect((await askSocks(options, { ...target, password: "guess" })).code).toBeNull();
  expect((await askSocks(options, { ...target, password: "x".repeat(options.proxyPassword.length) })).code).toBeNull();
  expect((await askSocks(options, { ...target, method: 0 })).code).toBeNull();
  expect(canary.hits()).toBe(0);
  const other = await door(testPolicy("databases"));
  expect(other.proxyPassword).not.toBe(options.proxyPassword);
});

test("closes connections that are not SOCKS5, and survives a client that leaves halfway", async () => {
  const options = await door(testPolicy("databases"));
  const stranger = connect(options.proxyPort, options.proxyHost);
  stranger.write("GET / HTTP/1.1\r\n\r\n");
  await once(stranger.resume(), "close");
  const leaver = connect(options.proxyPort, options.proxyHost);
  leaver.end(Buffer.from([5, 1]));
  await once(leaver.resume(), "close");
  const { port } = await listener();
  expect((await askSocks(options, { host: "127.0.0.1", port })).code).toBe(0);
});

test("closes one side when the other breaks", async () => {
  const gone = Promise.withResolvers<void>();
  const upstream = await listener((socket) => socket.resume().once("close", () => gone.resolve()));
  const options = await door(testPolicy("databases"));
  const first = await askSocks(options, { host: "127.0.0.1", port: upstream.port });
  first.socket.destroy();
  await gone.promise;
  const breaking = await listener((socket) => socket.resetAndDestroy());
  const second = await askSocks(options, { host: "127.0.0.1", port: breaking.port });
  await once(second.socket.resume(), "end");
});

test("has one listener, on loopback, until it is closed", async () => {
  onTestFinished(() => closeServerMember("socksProxy"));
  const [first, second] = await Promise.all([mongoProxyOptions(), mongoProxyOptions()]);
  expect(first).toEqual(second);
  expect(first.proxyHost).toBe("127.0.0.1");
  await closeServerMember("socksProxy");
  const [error] = await once(connect(first.proxyPort, first.proxyHost), "error").catch((thrown: unknown) => [thrown]);
  expect(error).toMatchObject({ code: "ECONNREFUSED" });
});
