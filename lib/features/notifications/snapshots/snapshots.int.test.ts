import { ObjectId } from "mongodb";
import { Webhook as StandardWebhook } from "standardwebhooks";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { collections } from "@/lib/features/instance/collections";
import { handIn } from "@/lib/features/instance/register-hooks";
import { queueDueRuns } from "@/lib/features/runs/schedules/tick";
import { type JobEvent, sendJobEventsBy } from "@/lib/platform/process/job-events";
import { call } from "@/test/client";
import { authorOf, type DashboardAuthor } from "@/test/fixtures/dashboards/dashboard-author";
import { type DashboardWorld, takeDashboardWorld } from "@/test/fixtures/dashboards/dashboard-world";
import { answerWith, type Receiver, startReceiver } from "@/test/fixtures/notifications/receiver";
import { type FakeResend, startFakeResend } from "@/test/security/fake-resend";
import { type Person, removeMember, seedKey, seedMember, seedPerson } from "@/test/seed";
import { deliver } from "../deliver";
import { DELIVERY_QUEUED_EVENT, type DeliveryQueued } from "../enqueue";
import { queueSnapshotTick } from "./service";
import { failSnapshot, isSeenOutside, SNAPSHOT_DUE_EVENT, SNAPSHOT_TYPE, type SnapshotDue, takeSnapshot } from "./take";

process.env.ALLOW_PRIVATE_NETWORK = "all";
process.env.PUBLIC_URL = "https://data.example.com";
process.env.RATE_LIMIT_SCALE = "100";
const open = takeDashboardWorld();
let owner: Person;
let admin: Person;
let member: Person;
let stranger: Person;
let author: DashboardAuthor;
let connectionId: string;
let run: DashboardWorld["run"];
let receiver: Receiver;
let resend: FakeResend;
let events: JobEvent[] = [];
const DAILY = { cron: "0 8 * * *", timezone: "Europe/Vienna" };
const OWNERS = { [SNAPSHOT_TYPE]: queueSnapshotTick };

beforeAll(async () => {
  handIn();
  resend = await startFakeResend();
  Object.assign(process.env, { RESEND_API_KEY: "re_test", RESEND_BASE_URL: resend.url });
  receiver = await startReceiver();
  ({ owner, author, connectionId, run } = await open());
  [admin, member, stranger] = [
    await seedMember(owner.workspaceId, "admin"),
    await seedMember(owner.workspaceId, "member"),
    await seedPerson("Stranger"),
  ];
  await run("create table sales as select * from (values ('north', 1), ('south', 2)) t(region, amount)");
});
afterAll(async () => {
  await receiver.close();
  await resend.close();
});
beforeEach(() => {
  events = [];
  receiver.hits.length = 0;
  resend.received.length = 0;
  receiver.answer = answerWith(200);
  sendJobEventsBy(async (sent) => {
    for (const event of sent) if (!events.some(({ id }) => id === event.id)) events.push(event);
  });
});

const measures = [{ field: "amount", op: "sum", as: "sold" }];
async function make(query = "select * from sales", by = author): Promise<string> {
  const source = { datasetId: "s" };
  const widgets = [
    {
      id: "total",
      kind: "kpi",
      title: "Sold",
      source,
      spec: { measures, suffix: " t" },
      layout: { x: 0, y: 0, w: 4, h: 3 },
    },
    {
      id: "by",
      kind: "chart",
      title: "By region",
      source,
      spec: { dimensions: ["region"], measures, mark: "bar" },
      layout: { x: 4, y: 0, w: 8, h: 6 },
    },
  ];
  const datasets = [{ id: "s", name: "S", source: { connectionId, query } }];
  const filters = [{ id: "where", kind: "select", field: "region" }];
  return (await by.make(`Sales ${new ObjectId().toHexString()}`, { access: "workspace", datasets, widgets, filters }))
    .id;
}
const at = (id: string, rest = "") => `/api/workspaces/${owner.workspaceId}/dashboards/${id}/snapshots${rest}`;
const webhook = () => ({ ...DAILY, channelType: "webhook", url: `${receiver.url}/in` });
const add = (id: string, body: object, who: Parameters<typeof call>[2] = owner) =>
  call("POST", at(id), { ...who, body });
async function added(id: string, body: object) {
  const answer = await add(id, body);
  if (answer.status !== 201) throw new Error(answer.text);
  return answer.json.data;
}
/** Processes everything that waits, like the job runner; failed deliveries are retried without pauses. */
async function drain(isLast = false): Promise<void> {
  for (let event = events.shift(); event; event = events.shift()) {
    if (event.name === SNAPSHOT_DUE_EVENT) await takeSnapshot(event.data as SnapshotDue, isLast);
    if (event.name !== DELIVERY_QUEUED_EVENT) continue;
    const { afterMs: _, ...due } = event.data as DeliveryQueued;
    for (let calls = 0; calls < 6; calls++) if ((await deliver(due)).state === "final") break;
  }
}
const send = async (id: string, snapshotId: string, isLast = false) => {
  const answer = await call("POST", at(id, `/${snapshotId}/send`), owner);
  expect([answer.status, answer.json.error]).toEqual([202, undefined]);
  await drain(isLast);
};
const listed = async (id: string) => (await call("GET", at(id), owner)).json.data;

describe("a snapshot of a dashboard", () => {
  it("is sent to a webhook, signed, with its numbers and the image URL", {
    timeout: 120_000,
  }, async () => {
    const id = await make();
    const snapshot = await added(id, { ...webhook(), filters: { where: "south" } });
    expect(snapshot).toMatchObject({
      ...DAILY,
      enabled: true,
      channelType: "webhook",
      channel: { hasSecret: true },
      lastDelivery: null,
    });
    expect(snapshot.nextRuns).toHaveLength(5);
    await send(id, snapshot.id);
    const [hit] = receiver.hits;
    expect(receiver.hits).toHaveLength(1);
    const payload = new StandardWebhook(snapshot.signingSecretOnce).verify(
      hit?.raw ?? "",
      hit?.headers ?? {},
    ) as Record<string, never>;
    expect(payload).toMatchObject({
      version: 1,
      event: "dashboard.snapshot",
      snapshotId: snapshot.id,
      dashboardId: id,
    });
    expect(payload.widgets).toEqual([
      { title: "Sold", lines: ["2 t"] },
      { title: "By region", lines: [expect.stringContaining("Bar chart of")] },
    ]);
    const token = /^https:\/\/data\.example\.com\/api\/snapshots\/([\w-]+)$/.exec(payload.pictureUrl ?? "")?.[1] ?? "";
    const picture = await call("GET", `/api/snapshots/${token}`);
    expect([picture.status, picture.headers.get("content-type")]).toEqual([200, "image/png"]);
    expect((await call("GET", `/api/snapshots/${token.slice(1)}`)).status).toBe(404);
    // No PDF was requested.
    expect(payload.pdfUrl).toBeNull();
    expect((await call("GET", `/api/snapshots/${token}?as=pdf`)).status).toBe(404);
    const [one] = await listed(id);
    expect(one.lastDelivery).toMatchObject({
      status: "sent",
      resourceType: "dashboard",
      resourceId: id,
      ruleId: snapshot.id,
    });
    expect(JSON.stringify(one)).not.toContain("whsec_");
  });

  it("is sent by email with the image inline, and to chat with the image URL", {
    timeout: 120_000,
  }, async () => {
    const id = await make();
    const mail = await added(id, { ...DAILY, channelType: "email", recipients: ["a@example.com"] });
    await send(id, mail.id);
    const body = resend.received.at(-1)?.body as Record<string, never>;
    expect(body.to).toEqual(["a@example.com"]);
    expect(body.html).toContain("cid:dashboard");
    expect(body.text).toContain("3 t");
    const [attached] = body.attachments as unknown as { content: string; content_id: string }[];
    expect(attached?.content_id).toBe("dashboard");
    expect(
      Buffer.from(attached?.content ?? "", "base64")
        .subarray(1, 4)
        .toString(),
    ).toBe("PNG");

    const chat = await added(id, {
      ...DAILY,
      channelType: "chat",
      chatWebhookUrl: `${receiver.url}/chat`,
      displayLabel: "#sales",
    });
    await send(id, chat.id);
    const said = JSON.parse(receiver.hits.at(-1)?.raw.toString() ?? "{}");
    expect(said.text).toContain("3 t");
    expect(said.blocks.find(({ type }: { type: string }) => type === "image")).toMatchObject({
      image_url: expect.stringMatching(/^https:\/\/data\.example\.com\/api\/snapshots\//),
    });
    process.env.PUBLIC_URL = "http://localhost:3000";
    try {
      await send(id, chat.id);
    } finally {
      process.env.PUBLIC_URL = "https://data.example.com";
    }
  });

  it("is sent to Microsoft Teams as a card with its numbers and the image URL", {
    tags: ["long"],
    timeout: 120_000,
  }, async () => {
    const id = await make();
    const address = `${receiver.url}/workflows/1?sig=abc`;
    const teams = await added(id, { ...DAILY, channelType: "teams", teamsWebhookUrl: address, displayLabel: "Sales" });
    expect(teams.channel).toEqual({ displayLabel: "Sales", host: new URL(receiver.url).host });
    await send(id, teams.id);
    const { content } = JSON.parse(receiver.hits.at(-1)?.raw.toString() ?? "{}").attachments[0];
    const picture = expect.stringMatching(/^https:\/\/data\.example\.com\/api\/snapshots\//);
    expect(content.body).toContainEqual(expect.objectContaining({ type: "Image", url: picture }));
    expect(content.actions.map(({ url }: { url: string }) => url)).toEqual([expect.stringContaining(id), picture]);
    expect(JSON.stringify(content.body)).toContain("3 t");
    expect((await listed(id))[0].lastDelivery).toMatchObject({ channelType: "teams", status: "sent" });
  });

  it("includes the page as PDF on request: attached and by URL", { tags: ["long"], timeout: 120_000 }, async () => {
    const id = await make();
    const mail = await added(id, { ...DAILY, channelType: "email", recipients: ["a@example.com"] });
    expect(mail).toMatchObject({ theme: "light", withPdf: false });
    const changed = await call("PATCH", at(id, `/${mail.id}`), { ...owner, body: { theme: "dark", withPdf: true } });
    expect(changed.json.data).toMatchObject({ theme: "dark", withPdf: true });
    expect((await call("PATCH", at(id, `/${mail.id}`), { ...owner, body: { theme: "sepia" } })).status).toBe(400);
    await send(id, mail.id);
    const body = resend.received.at(-1)?.body as Record<string, never>;
    const files = body.attachments as unknown as { content: string; filename: string; content_type: string }[];
    expect(files.map(({ filename, content_type }) => [filename, content_type])).toEqual([
      ["dashboard.png", "image/png"],
      ["dashboard.pdf", "application/pdf"],
    ]);
    expect(Buffer.from(files[1]?.content ?? "", "base64").toString("latin1")).toMatch(/^%PDF-.*%%EOF\n$/s);
    expect(body.text).toContain("The dashboard is attached as a PDF.");

    const chat = await added(id, {
      ...{ ...DAILY, channelType: "chat", chatWebhookUrl: `${receiver.url}/chat` },
      withPdf: true,
    });
    await send(id, chat.id);
    const { text } = JSON.parse(receiver.hits.at(-1)?.raw.toString() ?? "{}");
    const path = /PDF: https:\/\/data\.example\.com(\/api\/snapshots\/[\w-]+\?as=pdf)/.exec(text)?.[1] ?? "";
    const pdf = await call("GET", path);
    expect([pdf.status, pdf.headers.get("content-type"), pdf.headers.get("content-disposition")]).toEqual([
      ...[200, "application/pdf", 'attachment; filename="dashboard.pdf"'],
    ]);
  });

  it("is one message per tick, for any number of servers and requests", { timeout: 120_000 }, async () => {
    const id = await make();
    const { id: snapshotId } = await added(id, webhook());
    const due = new Date(Date.now() - 60_000);
    await collections.schedules().updateOne({ resourceId: new ObjectId(snapshotId) }, { $set: { nextAt: due } });
    await Promise.all([queueDueRuns(OWNERS), queueDueRuns(OWNERS)]);
    const [tick, ...more] = events.filter(({ name }) => name === SNAPSHOT_DUE_EVENT);
    expect(more).toEqual([]);
    const again = tick?.data as SnapshotDue;
    await Promise.all([takeSnapshot(again, false), takeSnapshot(again, false)]);
    await takeSnapshot(again, false);
    await drain();
    expect(receiver.hits).toHaveLength(1);
    const ofIt = { ruleId: new ObjectId(snapshotId) };
    expect(await collections.deliveries().countDocuments(ofIt)).toBe(1);
    const schedule = await collections.schedules().findOne({ resourceId: new ObjectId(snapshotId) });
    expect(schedule?.nextAt?.getTime()).toBeGreaterThan(Date.now());
  });

  it("is tried six times if rejected, and can be resent manually", { tags: ["long"], timeout: 120_000 }, async () => {
    const id = await make();
    const { id: snapshotId } = await added(id, webhook());
    receiver.answer = answerWith(500);
    await send(id, snapshotId);
    const [{ lastDelivery }] = await listed(id);
    expect(lastDelivery).toMatchObject({ status: "failed", attempts: 6, httpStatus: 500 });
    receiver.answer = answerWith(200);
    const url = `/api/workspaces/${owner.workspaceId}/notification-rules/deliveries/${lastDelivery.id}`;
    expect((await call("POST", `${url}/resend`, owner)).status).toBe(202);
    await drain();
    expect((await listed(id))[0].lastDelivery).toMatchObject({ id: lastDelivery.id, status: "sent" });
  });

  it("logs why it could not be taken: a failed source, a former owner", {
    timeout: 120_000,
  }, async () => {
    const id = await make("select * from nowhere");
    const { id: snapshotId } = await added(id, webhook());
    const [due] = await (async () => {
      await call("POST", at(id, `/${snapshotId}/send`), owner);
      return events.splice(0);
    })();
    // No event is published while the runner still retries.
    await expect(takeSnapshot(due?.data as SnapshotDue, false)).rejects.toMatchObject({ kind: "query_failed" });
    expect((await listed(id))[0].lastDelivery).toBeNull();
    await takeSnapshot(due?.data as SnapshotDue, true);
    expect((await listed(id))[0].lastDelivery).toMatchObject({
      status: "failed",
      attempts: 0,
      lastError: expect.stringContaining("Couldn't load the dashboard"),
    });

    const leaver = await seedMember(owner.workspaceId, "member");
    const theirs = await make(undefined, authorOf(leaver, owner.workspaceId));
    const { id: theirSnapshot } = await added(theirs, webhook());
    await removeMember(owner.workspaceId, leaver);
    await send(theirs, theirSnapshot);
    expect((await listed(theirs))[0].lastDelivery).toMatchObject({
      status: "failed",
      lastError: expect.stringContaining("no longer a member"),
    });
    expect(receiver.hits).toEqual([]);
  });

  it("C1 has a message in place of a forbidden chart, and the rest of the page", {
    timeout: 120_000,
  }, async () => {
    const id = await make();
    const _id = new ObjectId(id);
    const stored = await collections.dashboards().findOne({ _id });
    const file = JSON.parse(stored?.content ?? "");
    const transform = [{ calculate: "length(sequence(0,300000000))", as: "a" }];
    const encoding = { x: { field: "region" }, y: { field: "a", type: "quantitative" } };
    file.widgets[1].spec = { mark: "point", encoding, transform };
    await collections.dashboards().updateOne({ _id }, { $set: { content: JSON.stringify(file) } });
    const snapshot = await added(id, webhook());
    await send(id, snapshot.id);
    expect((JSON.parse(receiver.hits[0]?.raw.toString() ?? "") as Record<string, unknown>).widgets).toEqual([
      { title: "Sold", lines: ["3 t"] },
      {
        title: "By region",
        lines: [expect.stringMatching(/^This chart can't be drawn\. “sequence” accepts only numbers/)],
      },
    ]);
    expect((await listed(id))[0].lastDelivery).toMatchObject({ status: "sent" });
  });

  it("C1 fails once if its page is too large to draw", { tags: ["long"], timeout: 120_000 }, async () => {
    const id = await make("select repeat('x', 14000) as region, range as amount from range(5000)");
    const _id = new ObjectId(id);
    const stored = await collections.dashboards().findOne({ _id });
    const file = JSON.parse(stored?.content ?? "");
    file.widgets[1].spec = { mark: "point", encoding: { x: { field: "region" }, y: { field: "amount" } } };
    await collections.dashboards().updateOne({ _id }, { $set: { content: JSON.stringify(file) } });
    const snapshot = await added(id, webhook());
    await send(id, snapshot.id);
    expect(receiver.hits).toHaveLength(0);
    expect((await listed(id))[0].lastDelivery).toMatchObject({
      status: "failed",
      lastError: expect.stringContaining("too much memory or time"),
    });
  });

  it("C1 fails once if the job runner gives it up", async () => {
    const id = await make();
    const snapshot = await added(id, webhook());
    const due = { workspaceId: owner.workspaceId, snapshotId: snapshot.id, at: new Date().toISOString() };
    await failSnapshot(due);
    await failSnapshot(due);
    await takeSnapshot(due, false);
    expect(await collections.deliveries().countDocuments({ ruleId: new ObjectId(String(snapshot.id)) })).toBe(1);
    expect((await listed(id))[0].lastDelivery).toMatchObject({
      status: "failed",
      lastError: expect.stringMatching(/^The server stopped unexpectedly/),
    });
  });

  it("is managed by its owner, admins and workspace owners, and visible to members", async () => {
    const id = await make();
    const body = webhook();
    expect((await add(id, body, member)).status).toBe(403);
    expect((await add(id, body, admin)).status).toBe(201);
    expect((await add(id, body, {})).status).toBe(401);
    expect((await add(id, body, stranger)).status).toBe(403);
    expect((await call("GET", at(id), member)).json.data).toHaveLength(1);
    const key = await seedKey(owner.workspaceId, owner);
    expect((await call("GET", at(id), { key })).status).toBe(200);
    const [{ id: snapshotId }] = await listed(id);
    for (const [method, rest, sent] of [
      ["PATCH", "", { enabled: false }],
      ["DELETE", "", undefined],
      ["POST", "/send", undefined],
    ] as const) {
      expect((await call(method, at(id, `/${snapshotId}${rest}`), { ...member, body: sent })).status).toBe(403);
    }
    const elsewhere = await make();
    expect((await call("PATCH", at(elsewhere, `/${snapshotId}`), { ...owner, body: { enabled: false } })).status).toBe(
      404,
    );
    expect((await call("GET", at(new ObjectId().toHexString()), owner)).status).toBe(404);
  });

  it.each([
    [{ cron: "every day" }, "cron"],
    [{ timezone: "Nowhere/Land" }, "timezone"],
    [{ channelType: "pigeon" }, "channelType"],
    [{ channelType: "email", recipients: [] }, "recipients"],
    [{ url: "ftp://x.example" }, "url"],
    [{ filters: { nothing: 1 } }, null],
    [{ filters: { where: "x".repeat(250_000) } }, "filters"],
    [{ grain: "hour" }, "grain"],
  ])("rejects %j", async (change, path) => {
    const id = await make();
    const answer = await add(id, { ...webhook(), ...change });
    expect([answer.status, answer.json.details?.[0]?.path ?? null]).toEqual([400, path]);
    expect(await listed(id)).toEqual([]);
    expect(await collections.schedules().countDocuments({ resourceType: SNAPSHOT_TYPE, cron: "every day" })).toBe(0);
  });

  it("is changed, disabled and deleted, cancelling queued messages", { timeout: 120_000 }, async () => {
    const id = await make();
    const { id: snapshotId } = await added(id, webhook());
    const change = async (body: object) =>
      (await call("PATCH", at(id, `/${snapshotId}`), { ...owner, body })).json.data;
    expect(await change({ cron: "30 7 * * 1" })).toMatchObject({ cron: "30 7 * * 1", timezone: "Europe/Vienna" });
    expect(await change({ channelType: "email", recipients: ["b@example.com"] })).toMatchObject({
      channel: { recipients: ["b@example.com"] },
    });
    await change({ channelType: "webhook", url: `${receiver.url}/in` });
    expect((await change({ enabled: false })).nextRuns).toEqual([]);
    expect((await call("POST", at(id, `/${snapshotId}/send`), owner)).status).toBe(409);
    await change({ enabled: true });
    await call("POST", at(id, `/${snapshotId}/send`), owner);
    expect((await call("DELETE", at(id, `/${snapshotId}`), owner)).status).toBe(200);
    expect((await call("DELETE", at(id, `/${snapshotId}`), owner)).status).toBe(404);
    await drain();
    expect(receiver.hits).toEqual([]);
    expect(await collections.schedules().countDocuments({ resourceId: new ObjectId(snapshotId) })).toBe(0);
  });

  it("is deleted with its dashboard and its images", { timeout: 120_000 }, async () => {
    const id = await make();
    const { id: snapshotId } = await added(id, webhook());
    await send(id, snapshotId);
    const place = { dashboardId: new ObjectId(id) };
    expect(await collections.snapshotPictures().countDocuments(place)).toBe(1);
    expect((await author.send("DELETE", `/${id}`)).status).toBe(200);
    expect(await collections.snapshots().countDocuments(place)).toBe(0);
    expect(await collections.snapshotPictures().countDocuments(place)).toBe(0);
    expect(await collections.schedules().countDocuments({ resourceId: new ObjectId(snapshotId) })).toBe(0);
  });
});

it.each([
  ["https://data.example.com", true],
  ["https://203.0.113.9:3000", false],
  ["https://8.8.8.8", true],
  ["http://localhost:3000", false],
  ["http://127.0.0.1", false],
  ["http://[::1]:3000", false],
  ["http://10.1.2.3", false],
  ["http://millrace:3000", false],
  ["http://millrace.internal", false],
])("lets a chat load images at %s: %s", (url, isSeen) => {
  expect(isSeenOutside(url)).toBe(isSeen);
});
