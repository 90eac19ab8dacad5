import { createServer } from "node:net";
import type { NetworkInterfaceInfo } from "node:os";
import { expect, test } from "vitest";
import { refuseBusyPort, toLocalUrl, toReachNotice, toShownUrl } from "./support/listen";

test.each([
  [undefined, "http://127.0.0.1:3000", "http://localhost:3000"],
  ["0.0.0.0", "http://127.0.0.1:3000", "http://localhost:3000"],
  ["::", "http://[::1]:3000", "http://localhost:3000"],
  ["0:0::0", "http://[::1]:3000", "http://localhost:3000"],
  ["127.0.0.1", "http://127.0.0.1:3000", "http://localhost:3000"],
  ["::1", "http://[::1]:3000", "http://localhost:3000"],
  ["127.0.0.9", "http://127.0.0.9:3000", "http://127.0.0.9:3000"],
  ["192.0.2.7", "http://192.0.2.7:3000", "http://192.0.2.7:3000"],
  ["2001:DB8::7", "http://[2001:db8::7]:3000", "http://[2001:db8::7]:3000"],
  ["data.example.com", "http://data.example.com:3000", "http://data.example.com:3000"],
])("checks a server on %s at %s and shows it as %s", (host, local, shown) => {
  expect([toLocalUrl(host, 3000), toShownUrl(host, 3000)]).toEqual([local, shown]);
});

const v4 = (address: string, internal = false): NetworkInterfaceInfo => ({
  ...{ address, internal, family: "IPv4", netmask: "", mac: "", cidr: null },
});
const v6 = (address: string, scopeid: number, internal = false): NetworkInterfaceInfo => ({
  ...{ address, internal, scopeid, family: "IPv6", netmask: "", mac: "", cidr: null },
});
const interfaces = {
  lo: [v4("127.0.0.1", true), v6("::1", 0, true)],
  eth0: [v4("192.0.2.7"), v6("2001:db8::7", 0), v6("fe80::7", 2)],
};

test.each([
  [undefined, "http://192.0.2.7:80 or http://[2001:db8::7]:80"],
  ["::", "http://192.0.2.7:80 or http://[2001:db8::7]:80"],
  ["0.0.0.0", "http://192.0.2.7:80"],
  ["192.0.2.7", "http://192.0.2.7:80"],
])("reports that others can reach a server on %s at %s", (host, urls) => {
  expect(toReachNotice(host, 80, interfaces)).toBe(
    `Anyone who can reach this machine at ${urls} can register. To restrict access, use HOST=127.0.0.1 npm start.`,
  );
});

test("assumes that a machine without a network may get one", () => {
  expect(toReachNotice(undefined, 80, { lo: interfaces.lo })).toMatch(
    /^Anyone who can reach this machine can register/,
  );
});

test.each(["127.0.0.1", "::1", "localhost"])("reports that only this machine can reach a server on %s", (host) => {
  expect(toReachNotice(host, 80, interfaces)).toBe("Accessible from this machine only.");
});

test("treats a port taken on another address as free", async () => {
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, "127.0.0.2", resolve));
  const { port } = other.address() as { port: number };
  await expect(refuseBusyPort(port, "127.0.0.1")).resolves.toBeUndefined();
  await expect(refuseBusyPort(port, "127.0.0.2")).rejects.toThrow(`Port ${port} is in use.`);
  await expect(refuseBusyPort(port, undefined)).rejects.toThrow(`Port ${port} is in use.`);
  await new Promise((resolve) => other.close(resolve));
});

test.each(["203.0.113.1", "no-such-name.invalid", "-1"])("rejects HOST=%s by name, with instructions", async (host) => {
  await expect(refuseBusyPort(3999, host)).rejects.toThrow(/^HOST .* is not an address of this machine\. Use 127/);
});
