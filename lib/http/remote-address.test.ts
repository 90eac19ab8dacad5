import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it } from "vitest";
import { recordRemoteAddresses, remoteAddress } from "./remote-address";

const headers = (values: Record<string, string>) => new Headers({ "x-millrace-remote-address": "10.0.0.9", ...values });

it("ignores X-Forwarded-For while no proxy is trusted (T109)", () => {
  expect(remoteAddress(headers({ "x-forwarded-for": "1.2.3.4" }), 0)).toBe("10.0.0.9");
});

it("believes as many hops from the right as proxies are trusted", () => {
  const forwarded = headers({ "x-forwarded-for": "6.6.6.6, 1.2.3.4, 10.0.0.1" });
  expect(remoteAddress(forwarded, 1)).toBe("10.0.0.1");
  expect(remoteAddress(forwarded, 2)).toBe("1.2.3.4");
});

it("falls back to the socket when the proxy said nothing", () => {
  expect(remoteAddress(headers({}), 1)).toBe("10.0.0.9");
});

it("overwrites the address that a client claims for its socket", async () => {
  recordRemoteAddresses();
  const server = createServer((request, response) => response.end(request.headers["x-millrace-remote-address"]));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const answer = await fetch(`http://127.0.0.1:${port}`, { headers: { "x-millrace-remote-address": "6.6.6.6" } });
  expect(await answer.text()).toBe("127.0.0.1");
  server.close();
});
