import { randomBytes } from "node:crypto";
import { ObjectId } from "mongodb";
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from "vitest";
import { collections } from "@/lib/features/instance/collections";
import { commitChanges } from "@/lib/features/repository/service";
import { call, callRaw } from "@/test/client";
import { takeOwnDatabase } from "@/test/database";
import { type AppAuthor, authorOf } from "@/test/fixtures/apps/app-author";
import { SAMPLE_APP } from "@/test/fixtures/apps/sandbox/sample-app";
import { type Person, seedMember, seedPerson } from "@/test/seed";
import { SESSION_IDLE_MS, SESSIONS_MAX } from "../sandbox/limits";
import { findSession, stopIdleSessions, stopSessions, watch } from "../sandbox/registry";
import type { App } from "../schema";
import type { Preview } from "./schema";

const own = takeOwnDatabase();
const NOTHING = { serving: false, socket: false, port: null };
let [ana, ben] = [] as unknown as [Person, Person];
let [anas, bens] = [] as unknown as [AppAuthor, AppAuthor];
let app: App;

beforeAll(async () => {
  ana = await seedPerson("Ana");
  ben = await seedMember(ana.workspaceId, "member");
  anas = authorOf(ana, ana.workspaceId);
  bens = authorOf(ben, ana.workspaceId);
  app = await make("Orders");
});
afterAll(async () => {
  await stopAll(app);
  await own.drop();
});

async function make(title: string): Promise<App> {
  const made = await anas.make(title, { access: "workspace" });
  for (const [path, content] of Object.entries(SAMPLE_APP)) await anas.write(made, path, content);
  await anas.commit(made);
  return made;
}

const stopAll = ({ id }: App) => stopSessions({ workspaceId: new ObjectId(ana.workspaceId), appId: new ObjectId(id) });
const open = async (author: AppAuthor, { id }: App): Promise<Preview> => {
  const answer = await author.send("POST", `/${id}/dev-preview`);
  if (answer.status !== 200) throw new Error(answer.text);
  return answer.json.data;
};
const statusOf = async (author: AppAuthor, { id }: App): Promise<Preview> =>
  (await author.send("GET", `/${id}/dev-preview/status`)).json.data;
const pathOf = ({ url = "" }: Preview) => new URL(url).pathname;
const runningOf = ({ id: userId }: Person, { id }: App) =>
  findSession({
    workspaceId: new ObjectId(ana.workspaceId),
    appId: new ObjectId(id),
    userId: new ObjectId(userId),
  });

it("starts no preview on a status request (T100), and serves one per person and app", async () => {
  for (let n = 0; n < 3; n++) expect(await statusOf(anas, app)).toEqual(NOTHING);
  expect(runningOf(ana, app)).toBeNull();
  const [first, second] = await Promise.all([open(anas, app), open(anas, app)]);
  expect(first).toEqual({ serving: true, socket: true, port: null, url: expect.stringContaining("/api/apps/dev/") });
  expect(second.url).toBe(first.url);
  expect(await statusOf(anas, app)).toEqual(first);
  expect(await statusOf(bens, app)).toEqual(NOTHING);
});

it("serves an app of hundreds of files, some uncommitted, with few lookups", { tags: ["long"] }, async () => {
  const large = await anas.make("Large", { access: "workspace" });
  const [workspaceId, appId] = [new ObjectId(ana.workspaceId), new ObjectId(large.id)];
  const text = (n: number) => `export const n = ${n};\n`;
  await commitChanges({
    repositoryId: workspaceId,
    author: { name: "Ana", email: "ana@example.com" },
    message: "Many files",
    changes: Array.from({ length: 300 }, (_, n) => ({
      kind: "put",
      path: `apps/${large.slug}/src/part-${n}.ts`,
      content: text(n % 250),
    })),
  });
  await anas.write(large, "index.html", "<!doctype html><h1>Large</h1>");
  await anas.write(large, "src/part-7.ts", text(-7));
  const picture = randomBytes(9 * 1024 * 1024);
  await anas.write(large, "public/picture.bin", picture);
  const reads = vi.spyOn(Object.getPrototypeOf(collections.gitObjects()), "findOne");
  onTestFinished(() => reads.mockRestore());
  await open(anas, large);
  expect(reads.mock.calls.length).toBeLessThan(50);
  const files = await findSession({ workspaceId, appId, userId: new ObjectId(ana.id) })?.session.readFiles();
  expect(files?.get("src/part-299.ts")?.toString()).toBe(text(49));
  expect(files?.get("src/part-7.ts")?.toString()).toBe(text(-7));
  expect(files?.get("public/picture.bin")?.equals(picture)).toBe(true);
  expect([...(files?.keys() ?? [])].filter((path) => path.startsWith("src/"))).toHaveLength(300);
  await stopAll(large);
});

it("serves without credentials to a frame of opaque origin, with the app's policy", async () => {
  const path = pathOf(await open(anas, app));
  for (const file of ["", "src/main.tsx", "src/nothing.js"]) {
    const answer = await callRaw("GET", path + file);
    expect(answer.headers.get("access-control-allow-origin")).toBe("*");
    expect(answer.headers.get("content-security-policy")).toMatch(/^sandbox allow-scripts/);
    expect(answer.headers.get("content-security-policy")).toContain(`${path};`);
    expect(answer.headers.get("set-cookie")).toBeNull();
  }
  expect((await callRaw("GET", path)).headers.get("cache-control")).toBe("no-store");
  const alone = await callRaw("GET", path, { headers: { "sec-fetch-dest": "document" } });
  expect(alone.status).toBe(403);
});

it.each(["0".repeat(32), "nothing", "..%2f..%2fhealth"])(
  "returns nothing for an unknown session URL: %s",
  async (name) => {
    expect((await callRaw("GET", `/api/apps/dev/${name}/`)).status).toBe(404);
  },
);

it("accepts only messages to the dev server, of limited length", async () => {
  const path = pathOf(await open(anas, app));
  const post = (file: string, rawBody: string) => callRaw("POST", path + file, { rawBody });
  expect((await post("src/main.tsx", "{}")).status).toBe(405);
  expect((await post("__hot?page=1", '{"type":"custom","event":"app:hello"}')).status).toBe(204);
  expect((await post("__hot?page=1", "no JSON")).status).toBe(500);
  expect((await post("__hot?page=1", "x".repeat(300_000))).status).toBe(413);
});

it("writes to the sandbox and the draft, and discards both", async () => {
  const path = pathOf(await open(anas, app));
  const changed = SAMPLE_APP["src/app.tsx"].replace("pressed", "clicked");
  await anas.write(app, "src/app.tsx", changed);
  await anas.write(app, "src/more.ts", "export {};");
  expect(await (await callRaw("GET", `${path}src/app.tsx`)).text()).toContain("clicked");
  expect((await anas.read(app, "src/app.tsx")).json.data).toMatchObject({ content: changed, draft: "modified" });
  expect(await anas.status(app)).toMatchObject({
    offline: false,
    changes: [
      { path: "src/app.tsx", status: "modified" },
      { path: "src/more.ts", status: "added" },
    ],
  });
  const last = (await anas.send("GET", `/${app.id}/status?live=false`)).json.data;
  expect(last.offline).toBe(true);
  expect(last.changes.map(({ path: each }: { path: string }) => each)).not.toContain("src/more.ts");
  expect((await bens.status(app)).offline).toBe(true);

  await anas.remove(app, "src/style.css");
  expect((await callRaw("GET", `${path}src/style.css`)).status).toBe(404);
  await anas.send("POST", `/${app.id}/discard`);
  expect(await (await callRaw("GET", `${path}src/app.tsx`)).text()).toContain("pressed");
  expect((await anas.status(app)).changes).toEqual([]);
});

it("includes the sandbox's own changes in the live status", async () => {
  await open(anas, app);
  await runningOf(ana, app)?.session.writeFile("notes.txt", Buffer.from("by a shell"));
  expect((await anas.status(app)).changes).toEqual([{ path: "notes.txt", status: "added" }]);
  await runningOf(ana, app)?.session.writeFile("notes.txt", null);
});

it("loses no work with a dead sandbox; the next one has it", async () => {
  const before = await open(anas, app);
  await anas.write(app, "src/kept.ts", "export {};");
  await anas.send("DELETE", `/${app.id}/sandbox`);
  expect(await statusOf(anas, app)).toEqual(NOTHING);
  expect((await callRaw("GET", pathOf(before))).status).toBe(404);
  const after = await open(anas, app);
  expect(after.url).not.toBe(before.url);
  expect((await callRaw("GET", `${pathOf(after)}src/kept.ts`)).status).toBe(200);
  await anas.send("POST", `/${app.id}/discard`);
});

it("stops a sandbox idle for a quarter of an hour, and no other", async () => {
  const used = pathOf(await open(anas, app));
  await open(bens, app);
  const now = Date.now() + SESSION_IDLE_MS;
  vi.spyOn(Date, "now").mockReturnValue(now);
  onTestFinished(() => void vi.restoreAllMocks());
  await callRaw("GET", used);
  await stopIdleSessions(now + 1);
  expect(runningOf(ana, app)).not.toBeNull();
  expect(runningOf(ben, app)).toBeNull();
});

it(`runs ${SESSIONS_MAX} sandboxes at once, and replaces one without an open page or rejects the next`, async () => {
  const others: App[] = [];
  onTestFinished(async () => void (await Promise.all(others.map(stopAll))));
  await open(anas, app);
  for (let n = 1; n < SESSIONS_MAX; n++) {
    others.push(await anas.make(`Other ${n}`, { access: "workspace" }));
    await open(anas, others.at(-1) as App);
  }
  const [first, ...rest] = [app, ...others].map((each) => runningOf(ana, each));
  const closed = new AbortController();
  const stayed = new AbortController();
  if (first) watch(first, closed.signal);
  for (const each of rest) if (each) watch(each, stayed.signal);
  const refused = await bens.send("POST", `/${app.id}/sandbox`);
  expect([refused.status, refused.json.code]).toEqual([409, "conflict"]);
  expect(refused.json.error).toContain(String(SESSIONS_MAX));
  // The user's running session does not count again.
  expect((await anas.send("POST", `/${app.id}/sandbox`)).status).toBe(200);
  closed.abort();
  await open(bens, app);
  expect(runningOf(ana, app)).toBeNull();
  expect(others.every((each) => runningOf(ana, each) !== null)).toBe(true);
});

it("has no preview for a deleted app", async () => {
  const gone = await anas.make("Gone", { access: "workspace" });
  const path = pathOf(await open(bens, gone));
  await anas.send("DELETE", `/${gone.id}`);
  expect((await callRaw("GET", path)).status).toBe(404);
});

it("rejects preview requests of people who can't see the app", async () => {
  const secret = await anas.make("Mine");
  expect((await bens.send("POST", `/${secret.id}/sandbox`)).status).toBe(404);
  expect((await bens.send("GET", `/${secret.id}/dev-preview/status`)).status).toBe(404);
  const stranger = await seedPerson("Stranger");
  for (const [method, path] of [
    ["POST", "sandbox"],
    ["DELETE", "sandbox"],
    ["POST", "dev-preview"],
    ["GET", "dev-preview/status"],
  ] as const) {
    const url = `/api/workspaces/${ana.workspaceId}/apps/${app.id}/${path}`;
    expect((await call(method, url)).status).toBe(401);
    expect((await call(method, url, stranger)).status).toBe(403);
  }
});
