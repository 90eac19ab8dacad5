import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { collections } from "@/lib/features/instance/collections";
import { writeNow } from "@/lib/features/query/history-writer";
import { call } from "@/test/client";
import { takeOwnDatabase } from "@/test/database";
import { type JobServer, startJobServer } from "@/test/jobs/server";
import { type Person, seedPerson } from "@/test/seed";
import { runConsole } from "./run-console";
import { runSchedules } from "./run-schedules";

const own = takeOwnDatabase();
let jobs: JobServer;
let owner: Person;
let home = "";
let consoleId = "";

beforeAll(async () => {
  owner = await seedPerson("Owner");
  home = `/api/workspaces/${owner.workspaceId}`;
  const connectionId = (await call("GET", `${home}/connectors`, owner)).json.data[0].id;
  const body = { name: "Daily", content: "select 1 as one", connectionId };
  consoleId = (await call("POST", `${home}/consoles`, { ...owner, body })).json.data.id;
  jobs = await startJobServer([runConsole, runSchedules]);
});
afterAll(async () => {
  await jobs.stop();
  await writeNow();
  await own.drop();
});

const runs = async () => (await call("GET", `${home}/consoles/${consoleId}/runs`, owner)).json.data.items;

describe("consoles on the job runner", () => {
  it("run in the background on request", async () => {
    expect((await call("POST", `${home}/consoles/${consoleId}/schedule/run`, owner)).status).toBe(202);
    await jobs.settled();
    expect(await runs()).toMatchObject([{ status: "success", triggerType: "manual", rowCount: 1 }]);
  });

  it("run when their schedule is due", async () => {
    const body = { cron: "0 7 * * *", timezone: "Europe/Vienna" };
    expect((await call("PUT", `${home}/consoles/${consoleId}/schedule`, { ...owner, body })).status).toBe(200);
    const due = { $set: { nextAt: new Date(Date.now() - 1000) } };
    await collections.schedules().updateMany({}, due);
    // The tick of the next minute.
    jobs.advance(61_000);
    await expect.poll(async () => (await runs())[0].triggerType, { timeout: 20_000 }).toBe("scheduled");
    await jobs.settled();
    expect(await runs()).toMatchObject([{ status: "success", triggerType: "scheduled" }, { triggerType: "manual" }]);
  });
});
