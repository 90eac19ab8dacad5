import { randomUUID } from "node:crypto";
import { ObjectId } from "mongodb";
import { NextRequest } from "next/server";
import { beforeAll, describe, expect, it } from "vitest";
import { collections } from "@/lib/features/instance/collections";
import { admitVisitor } from "@/lib/features/shares/visits";
import { RATE_LIMITS } from "@/lib/platform/access/rate-limit";
import { proxy } from "@/proxy";
import { call } from "@/test/client";
import { authorOf, type DashboardAuthor } from "@/test/fixtures/dashboards/dashboard-author";
import { takeDashboardWorld } from "@/test/fixtures/dashboards/dashboard-world";
import { dumpDatabase } from "@/test/security/dump";
import { type Person, removeMember, seedMember } from "@/test/seed";
import type { WidgetData } from "./schema";

const open = takeDashboardWorld("vault");
let owner: Person;
let member: Person;
let author: DashboardAuthor;
let connectionId: string;

const QUERY = "select * from (values ('north', 1), ('north', 2), ('south', 4)) secret_sales(region, amount)";
const PASSWORD = "correct horse";

beforeAll(async () => {
  ({ owner, author, connectionId } = await open());
  member = await seedMember(owner.workspaceId, "member");
});

const at = (id: string, rest = "/share") => `/api/workspaces/${owner.workspaceId}/dashboards/${id}${rest}`;
async function make(query = QUERY, by = author, more: Record<string, unknown> = {}): Promise<string> {
  const datasets = [{ id: "sales", name: "Vault rows", source: { connectionId, query } }];
  const widgets = [
    {
      id: "sum",
      kind: "kpi",
      title: "Sum",
      tab: "Totals",
      source: { datasetId: "sales" },
      spec: { measures: [{ field: "amount", op: "sum" }] },
    },
  ];
  const filters = [{ id: "region", kind: "select", field: "region" }];
  return (
    await by.make(randomUUID(), { description: "All of it", access: "workspace", datasets, widgets, filters, ...more })
  ).id;
}
const put = (id: string, body: unknown, who: Person = owner) => call("PUT", at(id), { cookie: who.cookie, body });
async function share(id: string, body: Record<string, unknown> = {}): Promise<string> {
  const answer = await put(id, { enabled: true, ...body });
  expect([answer.status, answer.json.error]).toEqual([200, undefined]);
  return answer.json.data.token;
}
const look = (token: string, rest = "", cookie?: string) =>
  call("GET", `/api/share/${token}${rest}`, { ...(cookie && { cookie }) });
const unlock = (token: string, password: string) => call("POST", `/api/share/${token}/unlock`, { body: { password } });
const dataOf = async (token: string, filters?: object): Promise<WidgetData[]> => {
  const answer = await look(token, `/data${filters ? `?filters=${encodeURIComponent(JSON.stringify(filters))}` : ""}`);
  expect(answer.status, answer.text).toBe(200);
  return answer.json.data.widgets;
};

describe("a shared dashboard", () => {
  it("is visible with the link, can be filtered, and reveals no queries", async () => {
    const id = await make();
    const token = await share(id);
    // 128 bits in base64url.
    expect(token).toMatch(/^[A-Za-z0-9_-]{22}$/);
    expect((await look(token)).json.data).toMatchObject({
      kind: "dashboard",
      description: "All of it",
      needsPassword: false,
    });
    const shown = await look(token, "/dashboard");
    expect(shown.json.data).toMatchObject({
      widgets: [{ id: "sum", kind: "kpi", title: "Sum", tab: "Totals" }],
      filters: [{ id: "region", kind: "select", field: "region" }],
    });
    expect((await dataOf(token))[0]?.rows).toEqual([{ sum_amount: 7 }]);
    expect((await dataOf(token, { region: "north" }))[0]?.rows).toEqual([{ sum_amount: 3 }]);
    const values = await look(token, "/filters/region/values");
    expect(values.json.data.values).toEqual([
      { value: "north", count: 2 },
      { value: "south", count: 1 },
    ]);
    const sent = [await look(token), shown, await look(token, "/data"), values].map(({ text }) => text).join();
    for (const secret of ["secret_sales", "vault", "Vault rows", connectionId, owner.workspaceId, owner.id, id]) {
      expect(sent).not.toContain(secret);
    }
    expect((await look(token, `/data?filters=${encodeURIComponent('{"nope":1}')}`)).status).toBe(400);
    expect((await look(token, "/data?widget=nope")).status).toBe(404);
    // The rows behind a number are only for users who can see the dashboard itself.
    expect((await look(token, "/data?widget=sum&rows=true")).json.data?.widgets?.[0]?.rows ?? []).not.toHaveLength(3);
    const zoomed = { widget: "sum", zoom: "true", filters: JSON.stringify({ "@sum": { region: ["nowhere"] } }) };
    const whole = (await look(token, "/data?widget=sum")).json.data?.widgets?.[0]?.rows;
    expect((await look(token, `/data?${new URLSearchParams(zoomed)}`)).json.data?.widgets?.[0]?.rows).toEqual(whole);
    expect((await look(token)).headers.get("cache-control")).toMatch(/no-store/);
  });

  it("returns the same 404 when unknown, disabled, expired or deleted", async () => {
    const [off, late, gone, ended] = [await make(), await make(), await make(), await make()];
    const tokens = [
      await share(off),
      await share(late),
      await share(gone),
      await share(ended),
      "nothing",
      "x".repeat(22),
    ];
    await put(off, { enabled: false });
    await collections
      .shares()
      .updateOne({ resourceId: new ObjectId(late) }, { $set: { expiresAt: new Date(Date.now() - 1) } });
    await call("DELETE", at(gone, ""), owner);
    await call("DELETE", at(ended), owner);
    for (const rest of ["", "/dashboard", "/data", "/filters/region/values", "/widgets/sum/cube", "/og-image"]) {
      const answers = await Promise.all(tokens.map((token) => look(token, rest)));
      expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
      expect(answers[0]?.status).toBe(404);
    }
    const locked = await Promise.all(tokens.map((token) => unlock(token, PASSWORD)));
    expect(new Set(locked.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(await collections.shares().countDocuments({ resourceId: new ObjectId(gone) })).toBe(0);
    // A re-enabled share keeps its link; a deleted one gets another.
    expect(await share(off)).toBe(tokens[0]);
    expect(await share(ended)).not.toBe(tokens[3]);
    // This share has no picture, which gives the same response.
    const picture = await look(tokens[0] ?? "", "/og-image");
    expect([picture.status, picture.text]).toEqual([404, (await look("nothing", "/og-image")).text]);
  });

  it("with a password is unlocked for its own URLs, until the password changes", async () => {
    const id = await make();
    const token = await share(id, { password: PASSWORD });
    expect((await look(token)).json.data.needsPassword).toBe(true);
    for (const rest of ["/dashboard", "/data", "/filters/region/values", "/widgets/sum/cube"]) {
      expect([rest, (await look(token, rest)).status]).toEqual([rest, 401]);
    }
    expect((await unlock(token, "wrong")).status).toBe(401);
    const opened = await unlock(token, PASSWORD);
    const [line = ""] = opened.headers.getSetCookie();
    expect([opened.status, line]).toEqual([200, expect.stringContaining(`Path=/api/share/${token};`)]);
    expect(line).toContain("HttpOnly");
    const [cookie = ""] = line.split(";");
    expect((await look(token, "/dashboard", cookie)).status).toBe(200);
    expect((await look(token, "", cookie)).json.data.needsPassword).toBe(false);
    // The cookie opens no other share, and its expiry cannot be extended.
    const other = await share(await make(), { password: PASSWORD });
    expect((await look(other, "/dashboard", cookie)).status).toBe(401);
    const [name, value = ""] = cookie.split("=");
    const [until, mac] = value.split(".");
    expect((await look(token, "/dashboard", `${name}=${Number(until) + 1}.${mac}`)).status).toBe(401);
    // Properties that are not sent stay; another password requires another unlock.
    await share(id);
    expect((await look(token, "/dashboard", cookie)).status).toBe(200);
    await share(id, { password: "another horse" });
    expect((await look(token, "/dashboard", cookie)).status).toBe(401);
    await share(id, { password: null });
    expect((await look(token, "/dashboard")).status).toBe(200);
    expect(await dumpDatabase()).not.toContain("another horse");
    expect(await dumpDatabase()).not.toContain(token);
  });

  it("is locked after ten wrong passwords, also for the right one (T95)", async () => {
    const token = await share(await make(), { password: PASSWORD });
    expect((await unlock(token, PASSWORD)).status).toBe(200);
    for (let tries = 0; tries < 10; tries++) expect((await unlock(token, `wrong ${tries}`)).status).toBe(401);
    const eleventh = await unlock(token, PASSWORD);
    expect([eleventh.status, Number(eleventh.headers.get("retry-after")) > 0]).toEqual([429, true]);
    const other = await share(await make(), { password: PASSWORD });
    expect((await unlock(other, PASSWORD)).status).toBe(200);
  });

  it("blocks an address that tries passwords of many shares, and no one else", async () => {
    const address = { "x-millrace-remote-address": "198.51.100.77" };
    const tryOne = (token: string, headers = {}) =>
      call("POST", `/api/share/${token}/unlock`, { body: { password: "not this one" }, headers });
    const tokens = await Promise.all(
      Array.from({ length: 11 }, async () => share(await make(), { password: PASSWORD })),
    );
    const statuses: number[] = [];
    for (const token of tokens) for (let n = 0; n < 10; n++) statuses.push((await tryOne(token, address)).status);
    expect(statuses).toEqual([...Array(100).fill(401), ...Array(10).fill(429)]);
    // The last share was refused and did not count against it.
    const last = tokens.at(-1) ?? "";
    expect((await tryOne(last)).status).toBe(401);
    expect((await unlock(last, PASSWORD)).status).toBe(200);
  }, 60_000);

  it("rate-limits an address with its page, and no other", async () => {
    const token = await share(await make());
    const headers = { "x-millrace-remote-address": "198.51.100.78" };
    const open = (address: object) =>
      proxy(new NextRequest(new URL(`/share/${token}`, "http://localhost:3000"), { headers: { ...address } }));
    expect([(await open(headers)).status, (await look(token)).status]).toEqual([200, 200]);
    for (let n = 1; n < RATE_LIMITS.shareVisit.points; n++) await admitVisitor(new Headers(headers));
    for (const rest of ["", "/dashboard", "/data", "/filters/region/values", "/widgets/sum/cube"]) {
      const answer = await call("GET", `/api/share/${token}${rest}`, { headers });
      expect([rest, answer.status, Number(answer.headers.get("retry-after")) > 0]).toEqual([rest, 429, true]);
    }
    expect((await call("POST", `/api/share/${token}/unlock`, { headers, body: { password: "x" } })).status).toBe(429);
    const page = await open(headers);
    expect([page.status, Number(page.headers.get("retry-after")) > 0]).toEqual([429, true]);
    expect(page.headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
    expect([(await open({})).status, (await look(token, "/data")).status]).toEqual([200, 200]);
  });

  it("does not reveal why a source failed", async () => {
    const broken = await share(await make("select * from lost_table"));
    const [widget] = await dataOf(broken);
    expect(widget).toMatchObject({ rows: [], error: expect.stringMatching(/This data is unavailable/) });
    expect(JSON.stringify(widget)).not.toContain("lost_table");
    const values = await look(broken, "/filters/region/values");
    expect([values.status, values.text.includes("lost_table")]).toEqual([400, false]);
  });

  it("says so when its owner has left", async () => {
    const leaver = await seedMember(owner.workspaceId, "member");
    const token = await share(await make(QUERY, authorOf(leaver, owner.workspaceId)));
    expect((await dataOf(token))[0]?.rows).toEqual([{ sum_amount: 7 }]);
    await removeMember(owner.workspaceId, leaver);
    // Another request, which is not in the cache.
    expect((await dataOf(token, { region: "south" }))[0]).toMatchObject({
      rows: [],
      error: expect.stringMatching(/has left/),
    });
  });

  it("is computed once for concurrent viewers", async () => {
    const id = await make();
    const token = await share(id);
    const answers = await Promise.all(Array.from({ length: 100 }, () => look(token, "/data")));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
  });
});

describe("the page of a link in a frame", () => {
  /** Returns the sites that may frame a page, from the header of its response. */
  const framedBy = async (path: string) => {
    const answer = await proxy(new NextRequest(new URL(path, "http://localhost:3000")));
    const policy = answer.headers.get("content-security-policy") ?? "";
    return policy.split("; ").filter((part) => part.startsWith("frame-ancestors"));
  };
  const NOBODY = ["frame-ancestors 'none'"];
  const embedOrigins = ["https://intranet.example.com", "http://localhost:8080"];

  it("can be framed by the sites of its share, and no other page can", async () => {
    const token = await share(await make(), { embed: true, embedOrigins });
    const other = await share(await make(), { embed: true, embedOrigins: ["https://other.example"] });
    const plain = await share(await make());
    const named = ["frame-ancestors https://intranet.example.com http://localhost:8080"];
    for (const path of [`/share/${token}`, `/share/${token}/`, `/share/${token}?f.region=%22north%22`]) {
      expect([path, await framedBy(path)]).toEqual([path, named]);
    }
    expect(await framedBy(`/share/${other}`)).toEqual(["frame-ancestors https://other.example"]);
    const elsewhere = [
      ...["/", "/login", "/w/x/dashboards", "/share", "/share/", "/share/nothing", `/share/${plain}`],
      ...[`/share/${token}/data`, `/x/share/${token}`, `//share/${token}`, `/share/${token}%00`, `/share/${token}%2F`],
    ];
    for (const path of elsewhere) expect([path, await framedBy(path)]).toEqual([path, NOBODY]);
    // The page's data requests must not be framed.
    expect((await look(token, "/data")).headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
  });

  it("can't be framed once the share forbids it, is disabled or has expired", async () => {
    const id = await make();
    const token = await share(id, { embed: true, embedOrigins });
    expect(await framedBy(`/share/${token}`)).not.toEqual(NOBODY);
    await share(id, { embed: false });
    expect(await framedBy(`/share/${token}`)).toEqual(NOBODY);
    await share(id, { embed: true });
    expect(await framedBy(`/share/${token}`)).not.toEqual(NOBODY);
    await put(id, { enabled: false });
    expect(await framedBy(`/share/${token}`)).toEqual(NOBODY);
    await share(id);
    await collections
      .shares()
      .updateOne({ resourceId: new ObjectId(id) }, { $set: { expiresAt: new Date(Date.now() - 1) } });
    expect(await framedBy(`/share/${token}`)).toEqual(NOBODY);
  });
});

describe("the share of a dashboard", () => {
  it("is read and changed by permitted people, and rejected by field", async () => {
    const id = await make();
    expect((await call("GET", at(id), owner)).json.data).toBeNull();
    expect((await put(id, { enabled: true }, member)).status).toBe(403);
    expect((await call("DELETE", at(id), member)).status).toBe(403);
    const mine = await make(QUERY, authorOf(member, owner.workspaceId));
    expect((await put(mine, { enabled: true }, member)).status).toBe(200);
    const hidden = await make(QUERY, author, { access: "private" });
    for (const method of ["GET", "DELETE"]) expect((await call(method, at(hidden), member)).status).toBe(404);
    expect((await put(hidden, { enabled: true }, member)).status).toBe(404);
    const refused: [Record<string, unknown>, string][] = [
      [{ expiresAt: "2020-01-01T00:00:00Z" }, "expiresAt"],
      [{ expiresAt: "tomorrow" }, "expiresAt"],
      [{ password: "short" }, "password"],
      [{ embed: true }, "embedOrigins"],
      [{ embedOrigins: ["https://a.example; script-src *"] }, "embedOrigins.0"],
      [{ embedOrigins: ["*"] }, "embedOrigins.0"],
      [{ embedOrigins: ["https://a.example/path"] }, "embedOrigins.0"],
      [{ enabled: "yes" }, "enabled"],
    ];
    for (const [body, path] of refused) {
      const answer = await put(id, { enabled: true, ...body });
      expect([body, answer.status, answer.json.details?.[0]?.path]).toEqual([body, 400, path]);
    }
    expect((await call("GET", at(id), owner)).json.data).toBeNull();
    const embedOrigins = ["https://intranet.example.com", "http://localhost:8080"];
    const answer = await put(id, { enabled: true, embed: true, embedOrigins, expiresAt: "2999-01-01T00:00:00+02:00" });
    expect(answer.json.data).toMatchObject({
      ...{ enabled: true, hasPassword: false, embed: true, embedOrigins },
      expiresAt: "2998-12-31T22:00:00.000Z",
      url: expect.stringContaining(`/share/${answer.json.data.token}`),
    });
    expect((await call("GET", at(id), member)).json.data).toEqual(answer.json.data);
  });

  it("is one for two concurrent requests", async () => {
    const id = await make();
    const answers = await Promise.all(Array.from({ length: 6 }, () => put(id, { enabled: true })));
    expect(new Set(answers.map(({ json }) => json.data.token)).size).toBe(1);
  });
});
