// @module-tag heavy
import { networkInterfaces } from "node:os";
import { afterEach, describe, expect, it, vi } from "vitest";
import { testPolicy } from "@/test/fixtures/net/policy";
import type { Purpose } from "./address";

afterEach(() => {
  vi.resetModules();
  vi.unstubAllEnvs();
});

const MODES = ["none", "databases", "all"] as const;
const PURPOSES: Purpose[] = ["database", "http"];
const ELSEWHERE = "1.1.1.1";
const NAMES = {
  "app.example.test": [["10.1.2.3"]],
  "other.example.test": [["10.1.2.3"]],
  localhost: [["127.0.0.1", "::1"]],
  "here.test": [["127.0.0.1"]],
  "site.test": [["127.0.0.1"]],
  "site6.test": [["::1"]],
};

/** Outcomes in every mode and for every purpose; one word where they are all equal. */
async function outcomeOf(host: string, port: number): Promise<string> {
  const { checkTarget } = await import("./judge");
  const { ownEndpoints } = await import("./own-endpoints");
  const outcomes = new Set<string>();
  for (const mode of MODES) {
    for (const purpose of PURPOSES) {
      const policy = { ...testPolicy(mode, { names: NAMES }), ownEndpoints };
      const outcome = await checkTarget({ purpose, host, port }, policy).then(
        () => "open",
        (error: { kind: string }) => error.kind,
      );
      if (mode === "all") outcomes.add(outcome);
      else if (outcome === "open") outcomes.add(outcome);
    }
  }
  return [...outcomes].join(" ");
}

function serve(port: number, publicUrl?: string): void {
  vi.stubEnv("PORT", String(port));
  if (publicUrl !== undefined) vi.stubEnv("PUBLIC_URL", publicUrl);
}

const ownAddresses = Object.values(networkInterfaces()).flatMap((entries) =>
  (entries ?? []).filter(({ scopeid }) => !scopeid).map(({ address }) => address),
);

describe("C26 the server's own web port", () => {
  it.each(["127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1", "here.test", "localhost", ...ownAddresses])(
    "is refused at %s in every mode",
    async (host) => {
      serve(4321);
      const { denyEndpoint } = await import("./own-endpoints");
      denyEndpoint({ host: "127.0.0.1", port: 4323 });
      expect(await outcomeOf(host, 4321)).toBe("address_refused");
      expect(await outcomeOf(host, 4323)).toBe("address_refused");
    },
  );

  it.each(["127.0.0.1", "here.test"])("keeps other ports of the machine reachable at %s", async (host) => {
    serve(4321);
    expect(await outcomeOf(host, 4322)).toBe("open");
  });

  it.each([
    ["the name of PUBLIC_URL", "app.example.test", 443, "address_refused"],
    ["the name of PUBLIC_URL in capitals", "APP.example.test", 443, "address_refused"],
    ["the name of PUBLIC_URL at the listening port", "app.example.test", 4321, "address_refused"],
    ["a database beside it", "app.example.test", 5432, "open"],
    ["another site of the same proxy", "other.example.test", 443, "open"],
    ["another public site", ELSEWHERE, 443, "open"],
  ] as const)("with PUBLIC_URL behind a proxy: %s", async (_, host, port, expected) => {
    serve(4321, "https://app.example.test");
    expect(await outcomeOf(host, port)).toBe(expected);
  });

  it.each([
    ["the name of PUBLIC_URL", "localhost", 443, "address_refused"],
    ["the name of PUBLIC_URL at the listening port", "localhost", 4321, "address_refused"],
    ["its address", "127.0.0.1", 443, "address_refused"],
    ["another site of the same proxy", "site.test", 443, "open"],
    ["another site by IPv6", "site6.test", 443, "open"],
    ["another site's name at the listening port", "site.test", 4321, "address_refused"],
    ["another name at the listening port by IPv6", "site6.test", 4321, "address_refused"],
    ["another site without TLS", "site.test", 80, "open"],
    ["a database on this machine", "site.test", 5432, "open"],
    ["the name without TLS", "localhost", 80, "open"],
  ] as const)("C26 with PUBLIC_URL behind a proxy on this machine: %s", async (_, host, port, expected) => {
    serve(4321, "https://localhost");
    expect(await outcomeOf(host, port)).toBe(expected);
  });

  it("C26 is refused by every name of this machine if it listens on the port of PUBLIC_URL", async () => {
    serve(4321, "http://localhost:4321");
    for (const host of ["localhost", "site.test", "site6.test", "127.0.0.1"]) {
      expect([host, await outcomeOf(host, 4321)]).toEqual([host, "address_refused"]);
    }
  });

  it("is refused at the address of PUBLIC_URL without a name", async () => {
    serve(4321, "https://10.1.2.3:8443");
    expect(await outcomeOf("10.1.2.3", 8443)).toBe("address_refused");
    expect(await outcomeOf("10.1.2.3", 4321)).toBe("address_refused");
    expect(await outcomeOf("10.1.2.3", 443)).toBe("open");
  });

  it("is refused together with the egress proxy's own listener", async () => {
    serve(4321);
    const { openSocksDoor } = await import("./socks");
    const door = await openSocksDoor(testPolicy("all"));
    expect(await outcomeOf("127.0.0.1", door.options.proxyPort)).toBe("address_refused");
    await door.close();
    expect(await outcomeOf("127.0.0.1", door.options.proxyPort)).toBe("open");
  });
});
