import { createHmac } from "node:crypto";
import { ObjectId } from "mongodb";
import { afterAll, beforeAll, expect, it } from "vitest";
import { collections } from "@/lib/features/instance/collections";
import { databaseReady } from "@/lib/platform/db/ready";
import { closeServerMember } from "@/lib/platform/process/server-context";
import { call } from "@/test/client";
import { takeOwnDatabase } from "@/test/database";
import { type FlowAuthor, flowAuthor } from "@/test/fixtures/flows/flow-author";
import { startPostgres, type TestServer } from "@/test/servers/postgres";
import { queuePendingEvents } from "./webhook-batch";

/* Bodies of webhooks as senders write them, on their way to a table of PostgreSQL. */

const own = takeOwnDatabase();
let ana: FlowAuthor;
let server: TestServer | null = null;
let postgres = "";
beforeAll(async () => {
  await databaseReady();
  ana = await flowAuthor();
  server = await startPostgres();
  if (!server) throw new Error("These tests need PostgreSQL.");
  const { host, port, database, user, password } = server;
  postgres = await ana.connect("postgres", { host, port, database, user, password, ssl: "disable" });
}, 180_000);
afterAll(async () => {
  await closeServerMember("dataSources");
  await server?.stop();
  await own.drop();
});

type Hook = { flowId: string; path: string; secret: string; table: string };
let tables = 0;

async function open(): Promise<Hook> {
  const table = `bodies_${tables++}`;
  const destination = { connectionId: postgres, table, write: "append" };
  const { flow } = await ana.make({ type: "webhook", destination, trigger: true });
  const { url, secret } = (await ana.send("POST", `/flows/${flow.id}/webhook/provision`, {})).json.data;
  return { flowId: flow.id, path: new URL(url).pathname, secret, table };
}

async function send({ path, secret }: Hook, body: string | Buffer, headers: Record<string, string> = {}) {
  const signature = createHmac("sha256", secret).update(body).digest("hex");
  const rawBody = typeof body === "string" ? body : new Uint8Array(body);
  return call("POST", path, { rawBody, headers: { "x-service-signature": signature, ...headers } });
}

const rows = (hook: Hook) =>
  ana.sql(postgres, `select event_id, payload::text as payload from ${hook.table} order by event_id`);
const arrivals = async ({ flowId }: Hook) => (await ana.send("GET", `/flows/${flowId}/webhook/events`)).json.data.items;
const stats = async ({ flowId }: Hook) => (await ana.send("GET", `/flows/${flowId}/webhook/stats`)).json.data;

const BOM = "\uFEFF";
const utf16 = (text: string) => Buffer.from(`${BOM}${text}`, "utf16le");

it("C7 accepts writable bodies unchanged, and rejects the rest on arrival", async () => {
  const hook = await open();
  const taken: [string | Buffer, string?][] = [
    [`${BOM}{"id":"bom"}`],
    [`${BOM}\r\n {"id":"bom-and-blanks"} \r\n`],
    [Buffer.from('{"id":"latin","note":"caf\xe9"}', "latin1"), "application/json; charset=ISO-8859-1"],
    [Buffer.from('{"id":"quoted","note":"caf\xe9"}', "latin1"), 'application/json; charset="iso-8859-1"'],
    [utf16('{"id":"utf16","note":"café"}'), "application/json; charset=utf-16le"],
    [utf16('{"id":"utf16-by-mark","note":"café"}')],
    ['{"id":"form-by-name"}', "application/x-www-form-urlencoded"],
    ['{"id":"plain"}', "text/plain"],
  ];
  for (const [body, type] of taken) {
    const answer = await send(hook, body, type ? { "content-type": type } : {});
    expect([String(body), answer.json.data]).toEqual([String(body), { accepted: true }]);
  }
  const refused: [string | Buffer, RegExp, string?][] = [
    [Buffer.from('{"id":"caf\xe9"}', "latin1"), /not valid UTF-8/],
    [Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]), /not valid UTF-8/],
    ['{"id":"x"}', /charset klingon is not supported/, "application/json; charset=klingon"],
    ['{"id":"x","id":"y"}', /Duplicate key/],
    ['{"a":[{"b":1,"b":1}]}', /Duplicate key/],
    ['{"a":{"__proto__":{"x":1}}}', /not valid JSON/],
    ["[".repeat(65) + "]".repeat(65), /not valid JSON/],
    ["a=1&b=2", /is a form/, "application/x-www-form-urlencoded"],
    ['{"id":1}\n{"id":2}\n', /several JSON values/],
    ["", /empty/],
    [BOM, /empty/],
    [" \n ", /empty/],
    ["NaN", /not valid JSON/],
    ["{'id':1}", /not valid JSON/],
  ];
  for (const [body, message, type] of refused) {
    const answer = await send(hook, body, type ? { "content-type": type } : {});
    expect([String(body), [400, 415].includes(answer.status)]).toEqual([String(body), true]);
    expect(answer.json.error).toMatch(message);
  }
  await ana.runJobs();
  expect((await rows(hook)).map(({ event_id }) => event_id)).toEqual(
    ["bom", "bom-and-blanks", "form-by-name", "latin", "plain", "quoted", "utf16", "utf16-by-mark"],
  ); // biome-ignore format: one look
  const notes = (await rows(hook)).map(({ payload }) => JSON.parse(String(payload)).note).filter(Boolean);
  expect(notes).toEqual(["café", "café", "café", "café"]);
  expect(await stats(hook)).toMatchObject({ accepted: taken.length, rejected: refused.length, pending: 0, failed: 0 });
});

it("C7 an event that the destination rejects fails alone with its reason, and later ones continue", async () => {
  const hook = await open();
  const bodies = ['{"id":"one"}', '{"id":"code 0","a":"\\u0000"}', '{"id":"half","a":"\\ud800"}', '{"id":"four"}']; // biome-ignore format: one look
  for (const body of bodies) expect((await send(hook, body)).json.data).toEqual({ accepted: true });
  // As stored by an older version.
  const place = { flowId: new ObjectId(hook.flowId) };
  for (const [id, payload] of [["old mark", `${BOM}{"id":"old mark"}`], ["no JSON", "{"], ["twice", '{"id":1,"id":"twice"}']] as const) {
    await send(hook, JSON.stringify({ id }));
    await collections.flowEvents().updateOne({ ...place, eventId: id }, { $set: { payload } });
  } // biome-ignore format: one look
  await ana.runJobs();
  expect((await rows(hook)).map(({ event_id }) => event_id)).toEqual(["four", "old mark", "one", "twice"]);
  expect(await stats(hook)).toMatchObject({ pending: 0, processed: 4, failed: 3 });
  const failed = (await arrivals(hook)).filter(({ status }: { status: string }) => status === "failed");
  expect(failed.map(({ eventId }: { eventId: string }) => eventId).sort()).toEqual(["code 0", "half", "no JSON"]);
  for (const { reason } of failed) expect(reason).toMatch(/\S/);
  await send(hook, '{"id":"behind"}');
  await ana.runJobs();
  expect((await rows(hook)).map(({ event_id }) => event_id)).toContain("behind");
});

it("C7 more bad events than a run's limit delay no other", async () => {
  const hook = await open();
  await send(hook, '{"id":"first"}');
  await ana.runJobs();
  await ana.send("PATCH", `/flows/${hook.flowId}`, { enabled: false });
  for (let number = 0; number < 105; number += 1) await send(hook, `{"id":"bad ${number}","a":"\\u0000"}`);
  await send(hook, '{"id":"last"}');
  await ana.send("PATCH", `/flows/${hook.flowId}`, { enabled: true });
  await queuePendingEvents();
  await ana.runJobs();
  expect((await rows(hook)).map(({ event_id }) => event_id)).toEqual(["first", "last"]);
  expect(await stats(hook)).toMatchObject({ pending: 0, processed: 2, failed: 105 });
});

it("C7 a failure without a row stops one event, and all only if all fail", async () => {
  const hook = await open();
  await send(hook, '{"id":"first"}');
  await ana.runJobs();
  // An error of the class "program limit exceeded", such as for an index row that is too large.
  await ana.sql(
    postgres,
    `create function refuse_${hook.table}() returns trigger language plpgsql as $$ begin
       if new.event_id like 'poison%' then raise exception 'too large for the index' using errcode = '54000'; end if;
       return new; end $$`,
  );
  await ana.sql(
    postgres,
    `create trigger refuse before insert on ${hook.table} for each row execute function refuse_${hook.table}()`,
  );
  const retry = async () => {
    await collections.flowWebhooks().updateOne({ _id: new ObjectId(hook.flowId) }, { $set: { retryAt: new Date(0) } });
    await queuePendingEvents();
    await ana.runJobs();
  };
  // For a single event the destination may be at fault, so the event waits.
  await send(hook, '{"id":"poison 1"}');
  await ana.runJobs();
  expect(await stats(hook)).toMatchObject({ pending: 1, failed: 0 });
  await send(hook, '{"id":"good 1"}');
  await send(hook, '{"id":"poison 2"}');
  await send(hook, '{"id":"good 2"}');
  await retry();
  expect((await rows(hook)).map(({ event_id }) => event_id)).toEqual(["first", "good 1", "good 2"]);
  expect(await stats(hook)).toMatchObject({ pending: 0, processed: 3, failed: 2 });
  const failed = (await arrivals(hook)).filter(({ status }: { status: string }) => status === "failed");
  for (const { reason } of failed) expect(reason).toMatch(/too large for the index/);
});

it("C14 IDs that a double can't distinguish are two events, with every digit", async () => {
  const hook = await open();
  const ids = [
    "9007199254740992", "9007199254740993", "9007199254740994", "-9007199254740993", "12345678901234567890", "12345678901234567891",
    "0.12345678901234567", "0.12345678901234568", "1e400", "1e401", '"9007199254740995"', "7",
  ]; // biome-ignore format: one look
  for (const id of ids) {
    expect((await send(hook, `{"id":${id},"n":${id}}`)).json.data).toEqual({ accepted: true });
    expect((await send(hook, `{"id":${id},"n":${id}}`)).json.data).toEqual({ duplicate: true });
  }
  for (const half of ["\\ud800", "\\ud801"]) {
    expect((await send(hook, `{"id":"${half}"}`)).json.data).toEqual({ accepted: true });
  }
  await ana.runJobs();
  // One notation of a number is as long as jsonb expands it: 400 zeros.
  const found = (await ana.sql(postgres, `select event_id, payload->>'n' as n from ${hook.table}`)).filter(
    ({ n }) => n !== null && String(n).length < 40,
  );
  const plain = ids.filter((id) => !id.includes("e")).map((id) => id.replaceAll('"', ""));
  expect(found.map(({ event_id }) => event_id).sort()).toEqual(plain.toSorted());
  for (const { event_id, n } of found) expect(n).toBe(event_id);
});
