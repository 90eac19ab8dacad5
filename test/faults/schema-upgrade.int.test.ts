import { afterAll, beforeAll, expect, it } from "vitest";
import { SCHEMA_VERSION } from "@/lib/platform/db/schema-version";
import { registerAt, type Server, Servers } from "@/test/faults/two-servers";
import { ask } from "@/test/security/real-servers";

/* Two real servers that start at the same moment on a store with an old schema: one migrates it, and both serve it. */

/** Includes a build if this file runs alone on a changed tree. */
const START_TIMEOUT_MS = 240_000;
/** Remaining lease of a dead server, which ends while the others wait. */
const LEASE_LEFT_MS = 3_000;

type Stamp = { _id: string; version: number; millrace: string; lock?: { holder: string; until: Date } };

let servers: Servers;
let running: Server[];
let key: string;
let home: string;
beforeAll(async () => {
  servers = new Servers();
  const first = await servers.start();
  running = [first];
  const ana = await registerAt(first);
  home = ana.home;
  key = (await ana.send(first, "POST", "/api-keys", { name: "old" })).key;
}, START_TIMEOUT_MS);
afterAll(() => servers?.close());

const stamps = () => servers.store.collection<Stamp>("installation");
const oldLock = (until: number) => ({ holder: "gone", until: new Date(until) });

/** The stamp that an older version leaves behind, or a server that was killed while it migrated. */
const OLD: Record<string, () => Omit<Stamp, "_id"> | null> = {
  "without a stamp": () => null,
  "of version 0": () => ({ version: 0, millrace: "0.1.0" }),
  "with the lock of a server that is gone": () => ({ version: 0, millrace: "0.1.0", lock: oldLock(Date.now() - 1000) }),
  "with a lease that has not ended": () => ({
    version: 0,
    millrace: "0.1.0",
    lock: oldLock(Date.now() + LEASE_LEFT_MS),
  }),
};

async function upgradeFrom(name: string): Promise<void> {
  const stamp = OLD[name]?.() ?? null;
  await servers.store.collection("api_keys").updateMany({}, { $unset: { access: true } });
  await stamps().deleteOne({ _id: "schema" });
  if (stamp) await stamps().insertOne({ _id: "schema", ...stamp });
  await Promise.all(running.map((server) => servers.stop(server)));
  running = await Promise.all([servers.start(), servers.start()]);
  const after = await stamps().findOne({ _id: "schema" });
  expect([after?.version, after?.lock]).toEqual([SCHEMA_VERSION, undefined]);
  const migrated = running.flatMap((server) => server.output().match(/"migrating the store"/g) ?? []);
  expect(migrated).toHaveLength(SCHEMA_VERSION);
  // The migration that gives old keys their access applies on both servers.
  for (const [at, server] of running.entries()) {
    const body = { name: `${name} ${at}`, content: "" };
    const answer = await ask(server, `${home}/consoles`, { key, body });
    expect([answer.status, answer.text]).toEqual([201, expect.anything()]);
  }
}

it(
  "C28 lets one of two servers that start at once migrate a store without a stamp",
  { tags: ["long"], timeout: START_TIMEOUT_MS },
  () => upgradeFrom("without a stamp"),
);
it.each(Object.keys(OLD).slice(1))(
  "C28 lets one of two servers that start at once migrate a store %s (long)",
  { timeout: START_TIMEOUT_MS, tags: ["long"] },
  upgradeFrom,
);
