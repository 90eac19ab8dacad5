// @module-tag heavy
import { MongoClient } from "mongodb";
import { expect, onTestFinished, test } from "vitest";
import { serveHello } from "@/test/fixtures/net/fake-mongo";
import { listener } from "@/test/fixtures/net/listener";
import { testPolicy } from "@/test/fixtures/net/policy";
import type { EgressPolicy } from "./policy";
import { openSocksDoor } from "./socks";

/** Long enough for a busy machine: the test does not check time. */
const PATIENCE_MS = 30_000;
/** Time in which the driver retries refused servers, in ms. */
const REFUSED_MS = 3000;

async function clientThrough(policy: EgressPolicy, uri: string, selectMs = PATIENCE_MS) {
  const door = await openSocksDoor(policy);
  const options = { ...door.options, serverSelectionTimeoutMS: selectMs, connectTimeoutMS: PATIENCE_MS };
  const client = new MongoClient(uri, options);
  onTestFinished(async () => {
    await client.close();
    await door.close();
  });
  return client;
}

test("T37 MongoDB's driver dials no member that the proxy refuses, even if the server's hello names it", async () => {
  const canary = await listener();
  const hosts: string[] = [];
  const seed = await listener(serveHello(() => hosts));
  hosts.push(
    `127.0.0.1:${seed.port}`,
    `127.0.0.1:${canary.port}`,
    `localhost:${canary.port}`,
    `evil.test:${canary.port}`,
  );
  const own = [{ host: "127.0.0.1", port: canary.port, addresses: ["127.0.0.1"] }];
  const names = { localhost: [["127.0.0.1"]], "evil.test": [["127.0.0.1"]] };
  const policy = testPolicy("databases", { own, names });
  const client = await clientThrough(policy, `mongodb://127.0.0.1:${seed.port}/?replicaSet=fake`);
  expect(await client.db("admin").command({ ping: 1 })).toMatchObject({ ok: 1 });
  // The driver has tried every server that the hello listed.
  await expect
    .poll(() => policy.lookups, { timeout: PATIENCE_MS })
    .toEqual(expect.arrayContaining(["localhost", "evil.test"]));
  expect(seed.hits()).toBeGreaterThan(0);
  expect(canary.hits()).toBe(0);
});

test("T37 MongoDB's driver never dials a refused seed", async () => {
  const canary = await listener();
  const policy = testPolicy("none", { names: { "db.test": [["127.0.0.1"]] } });
  const client = await clientThrough(policy, `mongodb://db.test:${canary.port}/?directConnection=true`, REFUSED_MS);
  await expect(client.connect()).rejects.toThrow(/NotAllowed/);
  expect(canary.hits()).toBe(0);
});
