import { ObjectId } from "mongodb";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Receiver, startReceiver } from "@/test/fixtures/notifications/receiver";
import { registerAt, type Server, Servers } from "./two-servers";

/*
 * A scheduled query of a real server that is killed in the middle of it (F2): the run ends, and its end is reported
 * once.
 */

/** Includes a build if this file runs alone on a changed tree. */
const START_TIMEOUT_MS = 240_000;
const WAIT = { timeout: 90_000, interval: 100 };
const LONG = "select count(*) from range(100000000) a, range(100000) b";

let servers: Servers;
let server: Server;
let receiver: Receiver;
let ana: Awaited<ReturnType<typeof registerAt>>;

beforeAll(async () => {
  receiver = await startReceiver();
  servers = new Servers();
  server = await servers.start();
  ana = await registerAt(server);
}, START_TIMEOUT_MS);
afterAll(async () => {
  await servers?.close();
  await receiver?.close();
});

it("fails a scheduled query whose server is killed with the reason, and sends one message (F2)", {
  tags: ["long"],
  timeout: START_TIMEOUT_MS,
}, async () => {
  const file = { name: "files", type: "duckdb", config: { file: "files.duckdb" }, readOnly: false };
  const { id: connectionId } = await ana.send(server, "POST", "/connectors", file);
  const body = { name: "long", content: LONG, connectionId, access: "workspace" };
  const { id } = await ana.send(server, "POST", "/consoles", body);
  await ana.send(server, "PUT", `/consoles/${id}/schedule`, { cron: "0 0 1 1 *", timezone: "UTC" });
  const rule = { resourceType: "scheduled_query", resourceId: id, triggers: ["success", "failure"] };
  await ana.send(server, "POST", "/notification-rules", {
    ...rule,
    channelType: "webhook",
    url: `${receiver.url}/in`,
  });
  await ana.send(server, "POST", `/consoles/${id}/schedule/run`);
  const runs = () =>
    servers.store
      .collection("runs")
      .find({ resourceId: new ObjectId(String(id)) })
      .toArray();
  await expect.poll(async () => (await runs())[0]?.status, WAIT).toBe("running");

  await servers.kill(server);
  server = await servers.start();
  const [held] = await runs();
  expect(held).toMatchObject({ status: "running", work: { starts: 1 } });
  // The test ends the lease of the killed server, instead of waiting.
  await servers.store.collection("runs").updateOne({ _id: held?._id }, { $set: { "work.dueAt": new Date(0) } });
  await expect.poll(async () => (await runs())[0]?.status, WAIT).toBe("failure");
  const shown = (await ana.send(server, "GET", `/consoles/${id}/runs`)).items;
  expect(shown).toMatchObject([
    { status: "failure", error: expect.stringMatching(/server stopped during/), resultPreview: null },
  ]);

  const deliveries = () => servers.store.collection("deliveries").find({ runId: held?._id }).toArray();
  await expect.poll(async () => (await deliveries()).map(({ status }) => status), WAIT).toEqual(["sent"]);
  expect(receiver.hits.map(({ raw }) => JSON.parse(raw.toString()))).toMatchObject([
    { trigger: "failure", triggerType: "manual", runId: String(held?._id), errorMessage: shown[0].error },
  ]);
  // It can be run again.
  const again = await ana.send(server, "POST", `/consoles/${id}/schedule/run`);
  await ana.send(server, "POST", `/consoles/${id}/runs/${again.run.id}/cancel`);
});
