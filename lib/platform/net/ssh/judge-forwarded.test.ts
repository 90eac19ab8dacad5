import { describe, expect, test } from "vitest";
import { testPolicy } from "@/test/fixtures/net/policy";
import { checkForwarded } from "./judge-forwarded";

/** Address of an SSH server on another machine. */
const ELSEWHERE = "203.0.113.9";
const OWN = [
  { host: "store.internal", port: 27_017, addresses: ["10.0.0.5"] },
  { host: "localhost", port: 27_018, addresses: ["127.0.0.1", "::1"] },
];
const policy = (names: Record<string, string[][]> = {}) => testPolicy("none", { names, own: OWN });
const judge = (host: string, port = 5432, tunnel: string | null = ELSEWHERE, names = {}) =>
  checkForwarded({ host, port, tunnel }, policy(names));

describe("T30 through a tunnel to another machine", () => {
  test.each(["10.0.0.7", "192.168.1.1", "fd12::7", "127.0.0.1", "::1", "localhost", "db.internal", "93.184.215.14"])(
    "%s is allowed in each mode: it is in the other machine's network",
    async (host) => {
      expect(await judge(host)).toEqual({ host, port: 5432 });
      expect(await judge(host, 5432, null)).toEqual({ host, port: 5432 });
    },
  );

  test.each([
    "169.254.169.254",
    "169.254.1.1",
    "fd00:ec2::254",
    "100.100.100.200",
    "168.63.129.16",
    "fe80::1",
    "224.0.0.1",
    "0.0.0.0",
    "::",
    "::ffff:10.0.0.7",
    "64:ff9b::7f00:1",
    "metadata",
    "METADATA.google.internal",
  ])("%s is refused, before the tunnel is opened as well", async (host) => {
    await expect(judge(host)).rejects.toMatchObject({ kind: "address_refused" });
    await expect(judge(host, 5432, null)).rejects.toMatchObject({ kind: "address_refused" });
  });

  test("refuses a name that resolves to such an address here, whatever it resolves to there", async () => {
    const names = { "sly.test": [["10.0.0.7", "169.254.169.254"]] };
    await expect(judge("sly.test", 5432, ELSEWHERE, names)).rejects.toMatchObject({ kind: "address_refused" });
  });

  test.each(["2130706433", "0x7f000001", "127.1", "localhost.", "a,b", "/tmp/x", "", "\u2460"])(
    "%j is not a host",
    async (host) => {
      await expect(judge(host)).rejects.toMatchObject({ kind: "invalid_request" });
    },
  );

  test.each([0, 65_536, 1.5, Number.NaN])("%d is not a port", async (port) => {
    await expect(judge("db.internal", port)).rejects.toMatchObject({ kind: "invalid_request" });
  });
});

describe("T38 the platform's own services through a tunnel", () => {
  test("are refused by name, by address, and by a name that resolves to them here; other ports are allowed", async () => {
    for (const host of ["store.internal", "10.0.0.5", "alias.test"]) {
      const names = { "alias.test": [["10.0.0.5"]] };
      await expect(judge(host, 27_017, ELSEWHERE, names)).rejects.toMatchObject({ kind: "address_refused" });
      await expect(judge(host, 5432, ELSEWHERE, names)).resolves.toMatchObject({ port: 5432 });
    }
  });

  test("on loopback are refused on this machine only", async () => {
    const names = { localhost: [["127.0.0.1", "::1"]] };
    for (const host of ["127.0.0.1", "localhost"]) {
      expect(await judge(host, 27_018, ELSEWHERE, names)).toEqual({ host, port: 27_018 });
    }
  });
});

describe("a tunnel whose server is this machine", () => {
  test.each(["127.0.0.1", "::1", "127.0.0.9"])("at %s opens only what the egress proxy allows", async (tunnel) => {
    const names = { localhost: [["127.0.0.1"]], "db.internal": [["10.0.0.7"]], "db.test": [["93.184.215.14"]] };
    // In this mode, only public addresses are allowed.
    for (const host of ["127.0.0.1", "localhost", "10.0.0.7", "db.internal"]) {
      await expect(judge(host, 5432, tunnel, names)).rejects.toMatchObject({ kind: "address_refused" });
    }
    await expect(judge("nowhere.test", 5432, tunnel, names)).rejects.toMatchObject({ kind: "source_unreachable" });
  });

  test("T33 dials the checked address, not a name that may resolve differently later", async () => {
    const open = testPolicy("databases", { names: { "db.test": [["10.0.0.7"], ["127.0.0.1"]] }, own: OWN });
    expect(await checkForwarded({ host: "db.test", port: 5432, tunnel: "127.0.0.1" }, open)).toEqual({
      host: "10.0.0.7",
      port: 5432,
    });
    await expect(checkForwarded({ host: "127.0.0.1", port: 27_018, tunnel: "127.0.0.1" }, open)).rejects.toMatchObject({
      kind: "address_refused",
    });
  });
});
