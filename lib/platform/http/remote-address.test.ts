import { once } from "node:events";
import { createServer, get, request } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it } from "vitest";
import { isProxied, prepareRequests, remoteAddress } from "./remote-address";

const headers = (values: Record<string, string>) => new Headers({ "x-millrace-remote-address": "10.0.0.9", ...values });

it("ignores X-Forwarded-For while no proxy is trusted (T109)", () => {
  expect(remoteAddress(headers({ "x-forwarded-for": "1.2.3.4" }), 0)).toBe("10.0.0.9");
});

it("trusts as many hops from the right as there are trusted proxies", () => {
  const forwarded = headers({ "x-forwarded-for": "6.6.6.6, 1.2.3.4, 10.0.0.1" });
  expect(remoteAddress(forwarded, 1)).toBe("10.0.0.1");
  expect(remoteAddress(forwarded, 2)).toBe("1.2.3.4");
});

it("falls back to the socket if the proxy sends no header", () => {
  expect(remoteAddress(headers({}), 1)).toBe("10.0.0.9");
});

it("overwrites the address that a client claims for its socket", async () => {
  prepareRequests();
  const server = createServer((request, response) => response.end(request.headers["x-millrace-remote-address"]));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const answer = await fetch(`http://127.0.0.1:${port}`, { headers: { "x-millrace-remote-address": "6.6.6.6" } });
  expect(await answer.text()).toBe("127.0.0.1");
  server.close();
});

it.each<[headers: Record<string, string>, isThroughProxy: boolean]>([
  [{}, false],
  [{ "x-forwarded-for": "127.0.0.1" }, true],
  [{ forwarded: "for=192.0.2.7" }, true],
  [{ "x-real-ip": "192.0.2.7" }, true],
  [{ via: "1.1 proxy" }, true],
  [{ via: "1.1 proxy", "x-millrace-proxied": "no" }, true],
])("C49 sees a proxy by its headers, and not by those that Next adds later: %j", async (sent, isThroughProxy) => {
  prepareRequests();
  const server = createServer((incoming, response) => {
    incoming.headers["x-forwarded-for"] ??= incoming.socket.remoteAddress;
    response.end(String(isProxied(new Headers(incoming.headers as Record<string, string>))));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const answer = await fetch(`http://127.0.0.1:${port}`, { headers: sent });
  expect(await answer.text()).toBe(String(isThroughProxy));
  server.close();
});

it("C49 takes a request for proxied if the server did not see it arrive", () => {
  expect(isProxied(new Headers())).toBe(true);
});

it.each(["TRACE", "PROPFIND", "MKCOL", "GET", "DELETE", "HEAD"])(
  "passes %s on as a method that Next.js knows",
  async (method) => {
    prepareRequests();
    const seen: string[] = [];
    const server = createServer((incoming, response) => {
      seen.push(incoming.method ?? "");
      response.end();
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    await new Promise<void>((resolve, reject) => {
      const outgoing = request({ port, host: "127.0.0.1", method }, (response) =>
        response.resume().once("end", resolve),
      );
      outgoing.once("error", reject);
      outgoing.end();
    });
    expect(seen).toEqual([["GET", "DELETE", "HEAD"].includes(method) ? method : "OPTIONS"]);
    server.close();
  },
);

it.each([
  ["http://evil.example/api/health?x=1", "/api/health?x=1"],
  ["*", "/api/malformed-address"],
])("takes the path of %s and ignores its host", async (path, expected) => {
  prepareRequests();
  const server = createServer((request, response) => response.end(request.url));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const answer = await new Promise<string>((resolve, reject) => {
    get({ port, path, host: "127.0.0.1" }, async (response) => resolve((await response.toArray()).join(""))).on(
      "error",
      reject,
    );
  });
  expect(answer).toBe(expected);
  server.close();
});

it.each(["/api/%zz", "/%ff", "/api/%c0%ae?x=1"])(
  "sends %s, which can't be decoded, to the 404 of the API",
  async (path) => {
    prepareRequests();
    const server = createServer((request, response) => response.end(request.url));
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const answer = await new Promise<string>((resolve, reject) => {
      // fetch would reject or correct such an address.
      get({ port, path, host: "127.0.0.1" }, async (response) => resolve((await response.toArray()).join(""))).on(
        "error",
        reject,
      );
    });
    expect(answer).toBe("/api/malformed-address");
    server.close();
  },
);
