import { ObjectId } from "mongodb";
import { afterAll, beforeAll, expect, it } from "vitest";
import { collections } from "@/lib/features/instance/collections";
import { databaseReady } from "@/lib/platform/db/ready";
import { call } from "@/test/client";
import { takeOwnDatabase } from "@/test/database";
import { addConsole, endRun } from "@/test/fixtures/notifications/ended-run";
import { type Person, seedMember, seedPerson } from "@/test/seed";

const own = takeOwnDatabase();
let ana: Person;
beforeAll(async () => {
  await databaseReady();
  ana = await seedPerson("hours");
});
afterAll(() => own.drop());

type Hour = { hour: string; count: number; failed: number };
const read = async (query = "", { cookie } = ana) => {
  const answer = await call("GET", `/api/workspaces/${ana.workspaceId}/runs/hours${query}`, { cookie });
  expect([answer.status, answer.json.error]).toEqual([200, undefined]);
  return answer.json.data as { hours: Hour[]; types: unknown[]; isWhole: boolean };
};
const sum = (hours: Hour[], name: "count" | "failed") => hours.reduce((total, hour) => total + hour[name], 0);

it("counts runs by starting hour, with failures, without invisible ones", async () => {
  const [shared, secret] = [await addConsole(ana, "shared"), await addConsole(ana, "secret", "private")];
  const run = await endRun({ workspaceId: ana.workspaceId, consoleId: shared }, { status: "failure", error: "no" });
  await endRun({ workspaceId: ana.workspaceId, consoleId: secret });
  const { hours, types, isWhole } = await read();
  expect([hours.length, isWhole]).toEqual([24, true]);
  // The hour may have changed since.
  expect(hours.slice(-2).filter(({ count }) => count > 0)).toHaveLength(1);
  expect([sum(hours, "count"), sum(hours, "failed")]).toEqual([2, 1]);
  expect(types).toEqual([{ resourceType: "scheduled_query", count: 2, failed: 1 }]);
  const jun = await seedMember(ana.workspaceId, "member");
  expect(sum((await read("", jun)).hours, "count")).toBe(1);
  expect(sum((await read("?resourceType=flow")).hours, "count")).toBe(0);

  // Ten thousand more over thirty hours, the first six of which are outside the 24 hours.
  const now = Date.now();
  const docs = Array.from({ length: 10_000 }, (_, index) => {
    const createdAt = new Date(now - Math.floor((index * 30 * 3_600_000) / 10_000));
    const _id = new ObjectId(
      ObjectId.createFromTime(Math.floor(createdAt.getTime() / 1000))
        .toHexString()
        .slice(0, 8) + new ObjectId().toHexString().slice(8),
    );
    const { isNewest: _newest, ...rest } = run;
    return {
      ...rest,
      _id,
      key: _id.toHexString(),
      createdAt,
      status: index % 10 === 0 ? ("failure" as const) : ("success" as const),
    };
  });
  await collections.runs().insertMany(docs);
  const many = await read();
  const first = Date.parse(many.hours[0]?.hour ?? "");
  const inDay = docs.filter(({ createdAt }) => createdAt.getTime() >= first);
  expect(inDay.length).toBeGreaterThan(7_000);
  expect(sum(many.hours, "count")).toBe(inDay.length + 2);
  expect(sum(many.hours, "failed")).toBe(inDay.filter(({ status }) => status === "failure").length + 1);
  expect(many.isWhole).toBe(true);
});
