import { afterAll, beforeEach, expect, it, vi } from "vitest";
import { inngest } from "@/inngest/client";
import { takeOwnDatabase } from "@/test/database";
import { startJobServer, until } from "@/test/jobs/server";
import { collections } from "./collections";

/** Replaces the last query of a process before it releases a blocked job; the test delays its result. */
const beforeItWaits = vi.hoisted(() => ({ ask: async () => {} }));
vi.mock("./slots", async (importOriginal) => {
  const original = await importOriginal<typeof import("./slots")>();
  return {
    ...original,
    hasRoom: async (name: string) => {
      await beforeItWaits.ask();
      return original.hasRoom(name);
    },
  };
});

/** Heartbeats come every third of it; a job without an owner is detected by two of them. */
const LEASE_MS = 300;
const BEATS = 4;

const own = takeOwnDatabase();
afterAll(() => own.drop());

let begun: string[] = [];
let first = Promise.withResolvers<void>();
beforeEach(() => {
  begun = [];
  first = Promise.withResolvers();
});

const beats = async () => (await collections.jobWorkers().findOne())?.beats ?? 0;

const withKeyedLock = inngest.createFunction(
  { id: "one-at-a-time", retries: 0, concurrency: 1, triggers: [{ event: "hand-over/wanted" }] },
  async ({ event }) => {
    begun.push(event.data.name);
    if (event.data.name === "first") return first.promise;
    const since = await beats();
    await until(async () => (await beats()) >= since + BEATS);
  },
);

it("keeps a job that is claimed while the process still records its wait", async () => {
  const server = await startJobServer([withKeyedLock], { leaseMs: LEASE_MS });
  beforeItWaits.ask = async () => {
    first.resolve();
    await until(async () => begun.length > 1);
  };
  await server.send({ name: "hand-over/wanted", data: { name: "first" } });
  await until(async () => begun.length === 1);
  await server.send({ name: "hand-over/wanted", data: { name: "second" } });
  await server.settled();
  await server.stop();
  expect(begun).toEqual(["first", "second"]);
});
