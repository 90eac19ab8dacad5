import { writeFile } from "node:fs/promises";
import type { ObjectId } from "mongodb";
import { afterAll, describe, expect, it } from "vitest";
import { collections as all } from "@/lib/features/instance/collections";
import { findHead, MAIN_BRANCH } from "@/lib/features/repository/service";
import { closeServerMember } from "@/lib/platform/process/server-context";
import { call } from "@/test/client";
import { takeOwnDataDir } from "@/test/fixtures/connections/drivers/duckdb/open-file";
import { authorOf } from "@/test/fixtures/consoles/console-author";
import { git, gitLines } from "@/test/fixtures/repository/git-command";
import {
  begin,
  drain,
  events,
  hereOf,
  host,
  type Linked,
  ME,
  pushAtHost,
  takeHost,
  thereOf,
} from "@/test/fixtures/repository/hosts/linked-workspace";
import { seedKey, seedMember } from "@/test/seed";
import { collections } from "./collections";
import { syncLink } from "./sync";

const dataDir = takeOwnDataDir();
takeHost();
afterAll(async () => {
  await closeServerMember("dataSources");
  dataDir.remove();
});

const widget = {
  id: "w",
  kind: "text",
  title: "",
  source: null,
  spec: { text: "Hi" },
  layout: { x: 0, y: 0, w: 6, h: 4 },
};
const board = (title = "Board") =>
  `${JSON.stringify({ title, description: "", datasets: [], widgets: [widget], filters: [] }, null, 2)}\n`;
const scheduled = (query: string, more = "") =>
  `/* ---\nconnection: own\nschedule:\n  cron: 0 6 * * *\n  timezone: UTC\n  enabled: true\n${more}--- */\n${query}`;

const authorIn = async ({ owner }: Linked) =>
  authorOf({ key: await seedKey(owner.workspaceId, owner) }, owner.workspaceId);
async function connect({ owner }: Linked): Promise<string> {
  const body = { name: "own", type: "duckdb", config: { file: `own-${owner.workspaceId}.duckdb` }, readOnly: false };
  const answer = await call("POST", `/api/workspaces/${owner.workspaceId}/connectors`, { ...owner, body });
  expect(answer.status, answer.text).toBe(201);
  return answer.json.data.id;
}
const consoleAt = (workspaceId: ObjectId, file: string) => all.consoles().findOne({ workspaceId, file });
const scheduleAt = async (workspaceId: ObjectId, file: string) =>
  all.schedules().findOne({ workspaceId, resourceId: (await consoleAt(workspaceId, file))?._id as ObjectId });

describe("a linked repository", () => {
  it("imports consoles, dashboards, docs and settings as shared items of the linking admin, and returns saves", async () => {
    const world = await begin({
      ...{ "consoles/sales/total.sql": "select 1\n", "dashboards/Board.json": board(), "docs/a.md": "# A\n" },
      ...{ "apps/one/index.html": "1\n", ".gitattributes": "* text=auto\n", "README.md": "# Ours\n" },
      ...{ "src/main.c": "int main;\n", ".github/workflows/ci.yml": "on: push\n" },
    });
    const { json } = await world.link();
    expect(json.data).toMatchObject({ adoption: "imported", repo: { state: "synced", scope: "all", skipped: [] } });
    const { "src/main.c": _, ".github/workflows/ci.yml": __, ...synced } = await thereOf(world, "");
    expect(await hereOf(world, "")).toEqual(synced);
    const { workspaceId } = world;
    const doc = await consoleAt(workspaceId, "consoles/sales/total.sql");
    expect([doc?.space, doc?.ownerId.toHexString(), doc?.content]).toEqual(["workspace", world.owner.id, "select 1\n"]);
    expect(await all.dashboards().findOne({ workspaceId })).toMatchObject({ title: "Board", space: "workspace" });
    events.length = 0;
    const author = await authorIn(world);
    expect((await author.save(doc?._id.toHexString() ?? "", { version: 1, content: "select 2" })).status).toBe(200);
    await drain();
    expect((await thereOf(world, "consoles/"))["consoles/sales/total.sql"]).toBe("select 2");
    // A rename at the host is a rename here.
    await git(world.clone, "pull", "--quiet", "--ff-only");
    await git(world.clone, "mv", "consoles/sales/total.sql", "consoles/sales/sum.sql");
    await pushAtHost(world, "Rename", {});
    await syncLink(workspaceId);
    expect(await all.consoles().findOne({ _id: doc?._id as ObjectId })).toMatchObject({
      file: "consoles/sales/sum.sql",
      version: 3,
    });
  });

  it("changes nothing for a file that is refused, names it with its line, and syncs once it is fixed", async () => {
    const world = await begin({ "consoles/a.sql": "select 1\n" });
    await world.link();
    const { workspaceId } = world;
    const head = await findHead(workspaceId, MAIN_BRANCH);
    await pushAtHost(world, "Two files", {
      "consoles/a.sql": "select 2\n",
      "consoles/b.sql": "/* ---\nconnection: own\ncolour: red\n--- */\nselect 1\n",
    });
    const there = await gitLines(world.repository.dir, "rev-parse", "main");
    await expect(syncLink(workspaceId)).rejects.toMatchObject({ kind: "invalid_request" });
    expect((await world.state()).repo).toMatchObject({
      state: "rejected",
      problem: expect.stringMatching(/^consoles\/b\.sql is not a valid console \(line 3\): .*colour/),
    });
    expect(await findHead(workspaceId, MAIN_BRANCH)).toBe(head);
    expect((await consoleAt(workspaceId, "consoles/a.sql"))?.content).toBe("select 1\n");
    expect(await gitLines(world.repository.dir, "rev-parse", "main")).toEqual(there);
    // An unknown connection is a fault of the workspace.
    await pushAtHost(world, "No such connection", { "consoles/b.sql": "/* ---\nconnection: none\n--- */\nselect 1\n" });
    await expect(syncLink(workspaceId)).rejects.toThrow("consoles/b.sql: connection: “none” not found");
    await pushAtHost(world, "Fix", { "consoles/b.sql": "select 3\n" });
    await syncLink(workspaceId);
    expect((await world.state()).repo).toMatchObject({ state: "synced", problem: null });
    expect(await hereOf(world, "consoles/")).toEqual(await thereOf(world, "consoles/"));
  });

  it("pauses schedules that the host adds, or whose query it changes, until a member enables them", async () => {
    const world = await begin();
    await connect(world);
    await world.link();
    const { workspaceId } = world;
    await pushAtHost(world, "Schedule", { "consoles/a.sql": scheduled("select 1\n") });
    await syncLink(workspaceId);
    expect((await world.state()).repo.state).toBe("synced");
    expect(await scheduleAt(workspaceId, "consoles/a.sql")).toMatchObject({ cron: "0 6 * * *", enabled: false });
    const enable = async () => {
      const id = (await consoleAt(workspaceId, "consoles/a.sql"))?._id.toHexString();
      const body = { cron: "0 6 * * *", timezone: "UTC", enabled: true };
      const at = `/api/workspaces/${world.owner.workspaceId}/consoles/${id}/schedule`;
      expect((await call("PUT", at, { ...world.owner, body })).status).toBe(200);
    };
    await enable();
    expect(await scheduleAt(workspaceId, "consoles/a.sql")).toMatchObject({ enabled: true });
    await pushAtHost(world, "Other query", { "consoles/a.sql": scheduled("drop table t\n") });
    await syncLink(workspaceId);
    const paused = await scheduleAt(workspaceId, "consoles/a.sql");
    expect([paused?.enabled, paused?.nextAt]).toEqual([false, undefined]);
    expect((await consoleAt(workspaceId, "consoles/a.sql"))?.content).toBe("drop table t\n");
    // Enabling is a change of the workspace alone: the file says so already.
    await enable();
    await syncLink(workspaceId);
    expect(await scheduleAt(workspaceId, "consoles/a.sql")).toMatchObject({ enabled: true });
  });

  it("lands changes only while the linking admin is one", async () => {
    const world = await begin({ "consoles/a.sql": "select 1\n" });
    await world.link();
    const { workspaceId } = world;
    await seedMember(world.owner.workspaceId, "owner");
    await all
      .memberships()
      .updateOne({ workspaceId, userId: (await link(world))?.linkedBy as ObjectId }, { $set: { role: "member" } });
    await pushAtHost(world, "Change", { "consoles/a.sql": "select 2\n" });
    await expect(syncLink(workspaceId)).rejects.toThrow("no longer an admin");
    expect((await consoleAt(workspaceId, "consoles/a.sql"))?.content).toBe("select 1\n");
  });

  it("merges a save and a push of different consoles, and reports one that both changed", async () => {
    const world = await begin({ "consoles/a.sql": "select 1\n", "consoles/b.sql": "select 1\n" });
    await world.link();
    const { workspaceId } = world;
    const author = await authorIn(world);
    const idOf = async (file: string) => (await consoleAt(workspaceId, file))?._id.toHexString() ?? "";
    await pushAtHost(world, "Theirs", { "consoles/a.sql": "select 2\n" });
    const [saved] = await Promise.all([
      author.save(await idOf("consoles/b.sql"), { version: 1, content: "select 3" }),
      syncLink(workspaceId),
      syncLink(workspaceId),
    ]);
    expect(saved.status).toBe(200);
    await drain();
    await syncLink(workspaceId);
    const both = { "consoles/a.sql": "select 2\n", "consoles/b.sql": "select 3" };
    expect([await hereOf(world, "consoles/"), await thereOf(world, "consoles/")]).toEqual([both, both]);
    await pushAtHost(world, "Theirs", { "consoles/a.sql": "select 4\n" });
    expect((await author.save(await idOf("consoles/a.sql"), { version: 2, content: "select 5" })).status).toBe(200);
    await syncLink(workspaceId);
    expect((await world.state()).repo).toMatchObject({ state: "conflict", conflicts: ["consoles/a.sql"] });
    await syncLink(workspaceId, { prefer: "host" });
    expect(await consoleAt(workspaceId, "consoles/a.sql")).toMatchObject({ content: "select 4\n", version: 4 });
    expect((await world.state()).repo.state).toBe("synced");
  });

  it("reports a rewritten branch until a side is chosen, and changes nothing before", { tags: ["long"] }, async () => {
    const world = await begin({ "consoles/a.sql": "select 1\n" });
    await pushAtHost(world, "Second", { "consoles/a.sql": "select 2\n" });
    await world.link();
    const { workspaceId } = world;
    const rewrite = async (text: string) => {
      await git(world.clone, "fetch", "--quiet");
      await git(world.clone, "reset", "--quiet", "--hard", "origin/main");
      await git(world.clone, "reset", "--quiet", "--hard", "HEAD~1");
      await pushForce(world, text);
    };
    await rewrite("select 3\n");
    await expect(syncLink(workspaceId)).rejects.toThrow("was rewritten on the host");
    expect((await world.state()).repo.state).toBe("rewritten");
    expect((await consoleAt(workspaceId, "consoles/a.sql"))?.content).toBe("select 2\n");
    await syncLink(workspaceId, { prefer: "workspace" });
    expect((await world.state()).repo.state).toBe("synced");
    expect(await thereOf(world, "consoles/")).toEqual({ "consoles/a.sql": "select 2\n" });
    await rewrite("select 4\n");
    await expect(syncLink(workspaceId)).rejects.toThrow("was rewritten");
    await syncLink(workspaceId, { prefer: "host" });
    expect((await consoleAt(workspaceId, "consoles/a.sql"))?.content).toBe("select 4\n");
  });

  it("brings back no console that its owner has made private", { tags: ["long"] }, async () => {
    const text = "select secret\nfrom salaries\n";
    const world = await begin({ "consoles/secret.sql": text, "consoles/other.sql": "select 1\n" });
    await world.link();
    const { workspaceId } = world;
    const id = (await consoleAt(workspaceId, "consoles/secret.sql"))?._id.toHexString() ?? "";
    expect((await (await authorIn(world)).save(id, { version: 1, access: "private" })).status).toBe(200);
    await drain();
    expect(Object.keys(await thereOf(world, "consoles/"))).toEqual(["consoles/other.sql"]);
    // The host's commits land as one, so a file that a later one removes never arrives.
    await pushAtHost(world, "Back", { "consoles/secret.sql": text });
    await pushAtHost(world, "Out", { "consoles/secret.sql": null, "docs/a.md": "# A\n" });
    await syncLink(workspaceId);
    expect((await world.state()).repo).toMatchObject({ state: "synced" });
    await pushAtHost(world, "Back again", { "consoles/secret.sql": text });
    await expect(syncLink(workspaceId)).rejects.toThrow("made private");
    expect((await world.state()).repo).toMatchObject({
      state: "rejected",
      problem: expect.stringContaining("consoles/secret.sql was made private by its owner"),
    });
    expect(Object.keys(await hereOf(world, "consoles/"))).toEqual(["consoles/other.sql"]);
  });

  it("deletes nothing here when all consoles are removed at the host, until an admin has seen and confirmed it", async () => {
    const files = { "consoles/a.sql": "select 1\n", "consoles/b.sql": "select 2\n", "dashboards/Board.json": board() };
    const world = await begin({ ...files, "README.md": "x\n" });
    await world.link();
    const { workspaceId } = world;
    const consoles = { "consoles/a.sql": null, "consoles/b.sql": null };
    await pushAtHost(world, "Gone", consoles);
    // It was not reported yet.
    await expect(syncLink(workspaceId, { prefer: "host" })).rejects.toThrow("All consoles were removed on the host");
    const removed = [{ folder: "consoles", count: 2, paths: Object.keys(consoles) }];
    expect((await world.state()).repo).toMatchObject({ state: "removed", removed });
    expect(await consoleAt(workspaceId, "consoles/a.sql")).not.toBeNull();
    await syncLink(workspaceId, { prefer: "workspace" });
    expect((await world.state()).repo).toMatchObject({ state: "synced", removed: [] });
    expect(await thereOf(world, "")).toMatchObject(files);

    await pushAtHost(world, "Gone again", consoles);
    await expect(syncLink(workspaceId)).rejects.toThrow("All consoles were removed");
    // More was removed since then.
    await pushAtHost(world, "All gone", { "dashboards/Board.json": null });
    await expect(syncLink(workspaceId, { prefer: "host" })).rejects.toThrow("All consoles and dashboards were removed");
    expect(await consoleAt(workspaceId, "consoles/a.sql")).not.toBeNull();
    await syncLink(workspaceId, { prefer: "host" });
    expect((await world.state()).repo.state).toBe("synced");
    expect(await hereOf(world, "")).toEqual({ "README.md": "x\n" });
    expect(await consoleAt(workspaceId, "consoles/a.sql")).toBeNull();
  });

  it("waits as long as the host's rate limit says", { tags: ["long"] }, async () => {
    const world = await begin({ "consoles/a.sql": "select 1\n" });
    await world.link();
    const { workspaceId } = world;
    const secondsTo = async () => {
      await expect(syncLink(workspaceId)).rejects.toMatchObject({ kind: "rate_limited" });
      const due = (await link(world))?.work?.dueAt;
      return Math.round(((due?.getTime() ?? 0) - Date.now()) / 100) / 10;
    };
    const endPause = () => collections.repoLinks().updateOne({ workspaceId }, { $unset: { pausedUntil: true } });
    const reset = String(Math.floor(Date.now() / 1000) + 900);
    host.refusal.response = { status: 429, headers: { "retry-after": "300" } };
    expect(await secondsTo()).toBeGreaterThan(250);
    expect((await world.state()).repo).toMatchObject({ state: "failing", problem: expect.stringContaining("5 min") });
    // Until then, nothing is sent to the host.
    host.refusal.response = null;
    expect(await secondsTo()).toBeGreaterThan(250);
    await endPause();
    host.refusal.response = { status: 403, headers: { "x-ratelimit-remaining": "0", "x-ratelimit-reset": reset } };
    expect(await secondsTo()).toBeGreaterThan(800);
    await endPause();
    host.refusal.response = { status: 403, body: { message: "You have exceeded a secondary rate limit." } };
    expect(await secondsTo()).toBeGreaterThan(30);
    host.refusal.response = null;
    await endPause();
    await syncLink(workspaceId);
    expect((await world.state()).repo.state).toBe("synced");
  });
});

describe("a link from before consoles were synced", () => {
  it("syncs apps only, and all files once an admin asks, without deleting or replacing one", {
    tags: ["long"],
  }, async () => {
    const world = await begin({ "apps/one/index.html": "1\n" });
    const author = await authorIn(world);
    await author.make("ours", { access: "workspace", content: "select 1" });
    await author.make("both", { access: "workspace", content: "select 'here'" });
    await world.link();
    const { workspaceId } = world;
    // The state that the version before has left: the repository has other consoles than the workspace.
    await git(world.clone, "pull", "--quiet", "--ff-only");
    await git(world.clone, "rm", "--quiet", "-r", "consoles");
    await pushAtHost(world, "As before", {
      "consoles/theirs.sql": "select 2\n",
      "consoles/both.sql": "select 'there'\n",
    });
    const remoteSha = (await gitLines(world.repository.dir, "rev-parse", "main"))[0] ?? "";
    await collections
      .repoLinks()
      .updateOne({ workspaceId }, { $set: { remoteSha }, $unset: { scope: true, syncedScope: true } });
    const here = await hereOf(world, "");
    const there = await thereOf(world, "");
    await syncLink(workspaceId);
    expect((await world.state()).repo).toMatchObject({ state: "synced", scope: "apps" });
    expect([await hereOf(world, ""), await thereOf(world, "")]).toEqual([here, there]);
    await pushAtHost(world, "App", { "apps/one/index.html": "2\n" });
    await syncLink(workspaceId);
    expect(await hereOf(world, "apps/")).toEqual({ "apps/one/index.html": "2\n" });
    expect(await hereOf(world, "consoles/")).not.toHaveProperty("consoles/theirs.sql");
    const member = await seedMember(world.owner.workspaceId, "member");
    expect((await call("POST", `${world.at}/sync`, { ...member, body: { scope: "all" } })).status).toBe(403);
    const asked = await call("POST", `${world.at}/sync`, { ...world.owner, body: { scope: "all" } });
    expect(asked.status).toBe(202);
    await drain();
    expect((await world.state()).repo).toMatchObject({ state: "conflict", conflicts: ["consoles/both.sql"] });
    expect((await consoleAt(workspaceId, "consoles/both.sql"))?.content).toBe("select 'here'");
    await syncLink(workspaceId, { prefer: "workspace" });
    expect((await world.state()).repo).toMatchObject({ state: "synced", scope: "all" });
    const consoles = await hereOf(world, "consoles/");
    expect(Object.keys(consoles)).toEqual(["consoles/both.sql", "consoles/ours.sql", "consoles/theirs.sql"]);
    expect(await thereOf(world, "consoles/")).toEqual(consoles);
    expect(consoles["consoles/both.sql"]).toBe("select 'here'");
  });
});

const link = ({ workspaceId }: Linked) => collections.repoLinks().findOne({ workspaceId });

async function pushForce({ clone }: Linked, text: string): Promise<void> {
  await writeFile(`${clone}/consoles/a.sql`, text);
  await git(clone, ...ME, "commit", "--quiet", "--all", "--message", "Rewritten");
  await git(clone, "push", "--quiet", "--force", "origin", "HEAD:main");
}
