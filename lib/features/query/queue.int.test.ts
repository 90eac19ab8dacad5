import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { closeServerMember } from "@/lib/platform/process/server-context";
import { call } from "@/test/client";
import { startSubject } from "@/test/conformance/drivers/subjects";
import { takeOwnDatabase } from "@/test/database";
import { type Person, seedMember, seedPerson } from "@/test/seed";
import { writeNow } from "./history-writer";

const ownDatabase = takeOwnDatabase();
const subject = await startSubject("postgres");
let ana: Person;
let ben: Person;
let home: string;

beforeAll(async () => {
  ana = await seedPerson("Ana");
  ben = await seedMember(ana.workspaceId, "member");
  home = `/api/workspaces/${ana.workspaceId}`;
});
afterAll(async () => {
  await closeServerMember("dataSources");
  await writeNow();
  await subject?.stop();
  await ownDatabase.drop();
});

async function connect(queriesMax: number): Promise<string> {
  const body = { name: `Shop ${queriesMax}`, type: "postgres", config: { ...subject?.config, queriesMax } };
  const made = await call("POST", `${home}/connectors`, { ...ana, body });
  expect([made.status, made.json.data?.config.queriesMax]).toEqual([201, queriesMax]);
  return made.json.data.id;
}

/** Starts a query that ends when it is cancelled. */
function start(connectionId: string, who: Person) {
  const executionId = randomUUID();
  const body = { query: "select pg_sleep(600)", executionId, timeoutMs: 600_000 };
  const answer = call("POST", `${home}/databases/${connectionId}/execute`, { ...who, body });
  const path = `${home}/executions/${executionId}`;
  return {
    answer,
    executionId,
    read: async () => (await call("GET", path, who)).json.data,
    cancel: () => call("POST", `${path}/cancel`, who),
  };
}

it.skipIf(!subject)(
  "runs as many queries as the connection's setting says, and shows the place of the others",
  async () => {
    const connectionId = await connect(1);
    const state = async ({ read }: ReturnType<typeof start>) => {
      const found = await read();
      return [found?.status, found?.queue?.position ?? null];
    };
    const first = start(connectionId, ana);
    await vi.waitFor(async () => expect(await state(first)).toEqual(["running", null]), 60_000);
    const second = start(connectionId, ana);
    await vi.waitFor(async () => expect(await state(second)).toEqual(["queued", 1]), 60_000);
    const bens = start(connectionId, ben);
    await vi.waitFor(async () => expect(await state(bens)).toEqual(["queued", 2]), 60_000);
    // Ana's second query takes the slot of her first. Then Ben, who runs nothing, is before her third.
    const third = start(connectionId, ana);
    await vi.waitFor(async () => expect(await state(third)).toEqual(["queued", 3]), 60_000);
    expect((await third.read()).queue.expectedWaitMs).toBeGreaterThan(0);
    await vi.waitFor(async () => {
      const { items } = (await call("GET", `${home}/executions`, ana)).json.data;
      const listed = items.find((each: { executionId: string }) => each.executionId === second.executionId);
      expect([listed?.status, listed?.queue?.position]).toEqual(["queued", 1]);
    }, 60_000);
    expect((await first.cancel()).status).toBe(200);
    await vi.waitFor(async () => expect(await state(second)).toEqual(["running", null]), 60_000);
    expect([await state(bens), await state(third)]).toEqual([
      ["queued", 1],
      ["queued", 2],
    ]);
    for (const each of [third, bens, second]) await each.cancel();
    for (const { answer } of [first, second, bens, third]) expect((await answer).json.code).toBe("cancelled");
    expect((await second.read()).queue).toBeNull();
  },
);

it.skipIf(!subject)("runs more queries than the default where the connection allows them", async () => {
  const connectionId = await connect(30);
  const people = await Promise.all(Array.from({ length: 5 }, () => seedMember(ana.workspaceId, "member")));
  const started = people.flatMap((who) => Array.from({ length: 5 }, () => start(connectionId, who)));
  const countRunning = async () =>
    (await Promise.all(started.map(({ read }) => read()))).filter((each) => each?.status === "running").length;
  // Of 30 slots, a quarter is for people without a query.
  await vi.waitFor(async () => expect(await countRunning()).toBeGreaterThanOrEqual(23), 60_000);
  for (const each of started) await each.cancel();
  await Promise.all(started.map(({ answer }) => answer));
});
