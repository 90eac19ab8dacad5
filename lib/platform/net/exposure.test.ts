import { expect, test } from "vitest";
import { isLoopback, toHostInUrl, toReach } from "./exposure";

test.each(["127.0.0.1", "127.8.0.1", "::1", "0:0:0:0:0:0:0:1", "localhost", "LocalHost"])(
  "%s is a loopback address",
  (host) => expect(isLoopback(host)).toBe(true),
);

test.each([undefined, "", "0.0.0.0", "::", "192.0.2.7", "2001:db8::1", "127.example.com", "localhost.example.com"])(
  "%s is not a loopback address",
  (host) => expect(isLoopback(host)).toBe(false),
);

test("writes an address as URLs do", () => {
  expect(["192.0.2.7", "2001:DB8:0::1", "db.example.com"].map(toHostInUrl)).toEqual([
    "192.0.2.7",
    "[2001:db8::1]",
    "db.example.com",
  ]);
});

const local = { TRUST_PROXY: 0, publicUrl: "http://localhost:3000" };
test.each([
  ["every address by default", local, { by: "network" }],
  ["one address of a network", { ...local, HOST: "192.0.2.7" }, { by: "network" }],
  ["this machine", { ...local, HOST: "127.0.0.1" }, { by: "machine" }],
  [
    "this machine with an address of it as its own",
    { ...local, HOST: "::1", publicUrl: "http://[::1]:3000" },
    { by: "machine" },
  ],
  ["this machine behind a proxy of it", { ...local, HOST: "127.0.0.1", TRUST_PROXY: 1 }, { by: "network" }],
  [
    "this machine with a name of its own, so that something is in front",
    { ...local, HOST: "127.0.0.1", publicUrl: "https://data.example.com" },
    { by: "address", url: "https://data.example.com" },
  ],
])("%s", (_, settings, reach) => expect(toReach(settings)).toEqual(reach));
