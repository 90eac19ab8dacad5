import { networkInterfaces } from "node:os";
import { afterEach, expect, test, vi } from "vitest";
import { testPolicy } from "@/test/fixtures/net/policy";
import { checkTarget } from "./judge";
import { denyEndpoint, isOwnEndpoint, ownEndpoints, storeEndpoints } from "./own-endpoints";

afterEach(() => {
  vi.resetModules();
  vi.unstubAllEnvs();
});

test("T38 finds the servers of a MongoDB URI, whatever else it contains", async () => {
  expect(
    await storeEndpoints("mongodb://u:p%40ss@Db1.internal:27018,db2.internal,[::1]:27019/app?replicaSet=a"),
  ).toEqual([
    { host: "db1.internal", port: 27_018 },
    { host: "db2.internal", port: 27_017 },
    { host: "::1", port: 27_019 },
  ]);
  expect(await storeEndpoints("mongodb://127.0.0.1?directConnection=true")).toEqual([
    { host: "127.0.0.1", port: 27_017 },
  ]);
  expect(await storeEndpoints("mongodb://%2Ftmp%2Fmillrace-0%2Fa.sock/?directConnection=true")).toEqual([]);
});

test("T38 refuses the store, the job runner and registered services in every mode", async () => {
  vi.stubEnv("MONGODB_URI", "mongodb://127.0.0.1:29017/");
  vi.stubEnv("AUTH_SECRET", "s".repeat(32));
  vi.stubEnv("ENCRYPTION_KEYS", `k:${Buffer.alloc(32, 1).toString("base64")}`);
  vi.stubEnv("INNGEST_BASE_URL", "http://127.0.0.1:8288");
  vi.stubEnv("INNGEST_EVENT_KEY", "e");
  vi.stubEnv("INNGEST_SIGNING_KEY", "signkey-test-00");
  const fresh = await import("./own-endpoints");
  const allow = fresh.denyEndpoint({ host: "127.0.0.1", port: 30_001 });
  for (const mode of ["none", "databases", "all"] as const) {
    const policy = { ...testPolicy(mode), ownEndpoints: fresh.ownEndpoints };
    for (const port of [29_017, 8288, 30_001]) {
      for (const host of ["127.0.0.1", "127.8.9.10", "::1"]) {
        await expect(checkTarget({ purpose: "database", host, port }, policy)).rejects.toMatchObject({
          kind: "address_refused",
        });
      }
    }
  }
  allow();
  const policy = { ...testPolicy("all"), ownEndpoints: fresh.ownEndpoints };
  await expect(checkTarget({ purpose: "database", host: "127.0.0.1", port: 30_001 }, policy)).resolves.toBeDefined();
});

test("refuses a hosted job runner by name, and not the sites that share its public address", async () => {
  vi.stubEnv("INNGEST_BASE_URL", "https://1.1.1.1");
  vi.stubEnv("INNGEST_EVENT_KEY", "e");
  vi.stubEnv("INNGEST_SIGNING_KEY", "signkey-test-00");
  const fresh = await import("./own-endpoints");
  const policy = {
    ...testPolicy("none", { names: { "other.test": [["1.1.1.1"]] } }),
    ownEndpoints: fresh.ownEndpoints,
  };
  await expect(checkTarget({ purpose: "http", host: "1.1.1.1", port: 443 }, policy)).rejects.toMatchObject({
    kind: "address_refused",
  });
  await expect(checkTarget({ purpose: "http", host: "other.test", port: 443 }, policy)).resolves.toBeDefined();
});

test("refuses only the web server and registered services with the embedded store", async () => {
  const ports = async () => [...new Set((await ownEndpoints()).map(({ port }) => port))];
  expect(await ports()).toEqual([3000]);
  const allow = denyEndpoint({ host: "127.0.0.1", port: 30_002 });
  expect(await ports()).toEqual([30_002, 3000]);
  allow();
});

test("refuses a local service at each of the machine's addresses, and a remote one only at its own", () => {
  const lan = Object.values(networkInterfaces())
    .flatMap((entries) => entries ?? [])
    .find((entry) => entry.family === "IPv4")?.address as string;
  const here = [{ host: "127.0.0.1", port: 27_017, addresses: ["127.0.0.1"] }];
  expect(isOwnEndpoint(here, { host: lan, port: 27_017, addresses: [lan] })).toBe(true);
  expect(isOwnEndpoint(here, { host: "::1", port: 27_017, addresses: ["::1"] })).toBe(true);
  expect(isOwnEndpoint(here, { host: "127.0.0.1", port: 27_018, addresses: ["127.0.0.1"] })).toBe(false);
  const there = [{ host: "db.internal", port: 27_017, addresses: ["10.200.0.5", "10.200.0.6"] }];
  expect(isOwnEndpoint(there, { host: "x.test", port: 27_017, addresses: ["1.1.1.1", "10.200.0.6"] })).toBe(true);
  expect(isOwnEndpoint(there, { host: "db.internal", port: 27_017, addresses: ["10.200.0.9"] })).toBe(true);
  expect(isOwnEndpoint(there, { host: "x.test", port: 27_017, addresses: ["10.200.0.7"] })).toBe(false);
});
