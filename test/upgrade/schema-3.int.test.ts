import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { gunzipSync } from "node:zlib";
import { BSON, type Document } from "mongodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { database } from "@/lib/platform/db/client";
import { databaseReady } from "@/lib/platform/db/ready";
import { SCHEMA_VERSION } from "@/lib/platform/db/schema-version";
import { env } from "@/lib/platform/env";
import { call, cookieOf } from "@/test/client";
import { takeOwnDatabase } from "@/test/database";
import { authorOf, type ConsoleAuthor } from "@/test/fixtures/consoles/console-author";
import { startGitServer } from "@/test/fixtures/repository/git/git-server";
import { requireSound } from "@/test/fixtures/repository/git/git-world";
import { git, gitLines, temporaryFolder } from "@/test/fixtures/repository/git-command";
import type { LocalServer } from "@/test/security/local-server";
import { PASSWORD } from "@/test/seed";

/*
 * A workspace of schema version 3 (fface6ec), in which consoles and dashboards could not be pushed yet. The file beside
 * this one has its documents and uploads as that version stored them, and its API's answers (`facts`).
 */

// biome-ignore lint/suspicious/noExplicitAny: answers of an earlier version
type Facts = any;
type Stored = { facts: Facts; files: Record<string, string>; collections: Record<string, Document[]> };
type Person = "ana" | "ben";

const packed = readFileSync(new URL("./schema-3.json.gz", import.meta.url));
const { facts, files, collections } = BSON.EJSON.parse(gunzipSync(packed).toString("utf8")) as Stored;
const home = `/api/workspaces/${facts.workspaceId}`;
const ITEMS_MAX = 100;

const own = takeOwnDatabase();
const cookies = {} as Record<Person, string>;
const folder = await temporaryFolder();
const clone = join(folder.dir, "clone");
let server: LocalServer;
let consoles: ConsoleAuthor;

beforeAll(async () => {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(env().DATA_DIR, path)), { recursive: true });
    writeFileSync(join(env().DATA_DIR, path), Buffer.from(content, "base64"));
  }
  // Before the first query, which migrates the store.
  for (const [name, docs] of Object.entries(collections)) await database().collection(name).insertMany(docs);
  await databaseReady();
  for (const person of ["ana", "ben"] as const) {
    const body = { email: facts.emails[person], password: PASSWORD };
    cookies[person] = cookieOf(await call("POST", "/api/auth/login", { body }));
  }
  consoles = authorOf({ cookie: cookies.ana }, facts.workspaceId);
  server = await startGitServer();
});
afterAll(async () => {
  await server?.close();
  await folder.remove();
  await own.drop();
});

const get = async (path: string, person: Person = "ana"): Promise<Facts> => {
  const { status, json, text } = await call("GET", home + path, { cookie: cookies[person] });
  if (status !== 200) throw new Error(text);
  return json.data.items ?? json.data;
};
const consoleAt = (path: string): Facts => {
  const [id, known] = Object.entries<Facts>(facts.consoles).find(([, each]) => each.path === path) ?? [];
  return { ...known, id };
};
const shasOf = async (path: string, person?: Person) =>
  (await get(`${path}/git/history`, person)).map(({ sha }: { sha: string }) => sha);

describe("a workspace of schema version 3", () => {
  it("is migrated once, and both members sign in", async () => {
    const stamp = await database()
      .collection<{ _id: string; version: number }>("installation")
      .findOne({ _id: "schema" });
    expect(stamp).toMatchObject({ version: SCHEMA_VERSION });
    expect(stamp).not.toHaveProperty("lock");
    expect(Object.keys(cookies)).toEqual(["ana", "ben"]);
  });

  it("keeps every console with its id, text, place, settings, schedule and commits, for those who could see it", async () => {
    expect(Object.keys(facts.consoles)).toHaveLength(8);
    for (const [id, { by, history, schedule, ...known }] of Object.entries<Facts>(facts.consoles)) {
      const now = await get(`/consoles/${id}`, by);
      expect(now).toMatchObject(known);
      expect([known.path, now.schedule]).toEqual([known.path, schedule && expect.objectContaining(schedule)]);
      expect([known.path, await shasOf(`/consoles/${id}`, by)]).toEqual([known.path, history]);
      const other = await call("GET", `${home}/consoles/${id}`, { cookie: cookies[by === "ana" ? "ben" : "ana"] });
      expect([known.path, other.status]).toEqual([known.path, known.access === "private" ? 404 : 200]);
    }
    const ids = (await get(`/consoles?limit=${ITEMS_MAX}`)).map(({ id }: { id: string }) => id);
    expect(ids).toHaveLength(7);
  });

  it("keeps every dashboard with its id, datasets, widgets and commits", async () => {
    expect(Object.keys(facts.dashboards)).toHaveLength(3);
    for (const [id, { history, ...known }] of Object.entries<Facts>(facts.dashboards)) {
      expect(await get(`/dashboards/${id}`)).toMatchObject(known);
      expect([known.path, await shasOf(`/dashboards/${id}`)]).toEqual([known.path, history]);
    }
  });

  it("keeps the app with its draft, the uploaded file, and the notification rule", async () => {
    expect(await get(`/apps/${facts.appId}/files`)).toEqual(facts.treeOfApp);
    expect(await get("/files")).toMatchObject(facts.uploaded.map(({ file, bytes }: Facts) => ({ file, bytes })));
    expect(await get("/notifications/rules")).toMatchObject(facts.rules.items.map(({ id }: Facts) => ({ id })));
  });

  it("finds consoles by name and by text", async () => {
    const { id } = consoleAt("Finance team/Month end/Revenue by month");
    const idsOf = async (path: string) => (await get(path)).map((each: { id: string }) => each.id);
    expect(await idsOf("/consoles/lookup?q=month%20rev")).toEqual([id]);
    expect(await idsOf("/consoles/search?q=since")).toEqual([id]);
  });

  it("clones with every commit and file", async () => {
    const url = `${server.url.replace("//", `//any:${facts.key}@`)}/git/${facts.slug}.git`;
    await git(folder.dir, "clone", "--quiet", url, "clone");
    await requireSound(clone);
    expect(await gitLines(clone, "log", "--all", "--format=%H %an %ae %s")).toEqual(facts.commits);
    expect(await gitLines(clone, "ls-tree", "-r", "HEAD")).toEqual(facts.tree);
  });

  it("accepts a push that edits, renames, schedules and adds files", async () => {
    const revenue = consoleAt("Finance team/Month end/Revenue by month");
    const moved = consoleAt("Finance team/New name");
    const paused = consoleAt("Finance team/Paused refunds");
    const write = (path: string, text: string) => writeFileSync(join(clone, path), text);
    write(`consoles/${revenue.path}.sql`, "select 4 as revenue\n");
    await git(clone, "mv", `consoles/${moved.path}.sql`, "consoles/Newer name.sql");
    const schedule = 'schedule:\n  cron: "0 9 * * *"\n  timezone: UTC\n';
    write(`consoles/${paused.path}.sql`, `/* ---\n${schedule}--- */\n${paused.content}`);
    write("consoles/Added.sql", "select 'added'\n");
    const board = JSON.parse(readFileSync(join(clone, "dashboards/Board.json"), "utf8"));
    write("dashboards/Board.json", `${JSON.stringify({ ...board, description: "Pushed" }, null, 2)}\n`);
    await git(clone, "add", "--all");
    await git(clone, "-c", "user.name=Ana", "-c", `user.email=${facts.emails.ana}`, "commit", "-qm", "Edit");
    await git(clone, "push", "--quiet", "origin", "main");
    const [sha = ""] = await gitLines(clone, "rev-parse", "HEAD");

    expect(await get(`/consoles/${revenue.id}`)).toMatchObject({
      ...{ content: "select 4 as revenue\n", version: revenue.version + 1, connectionId: revenue.connectionId },
      schedule: revenue.schedule,
    });
    expect(await shasOf(`/consoles/${revenue.id}`)).toEqual([sha, ...revenue.history]);
    expect(await get(`/consoles/${moved.id}`)).toMatchObject({ path: "Newer name", content: moved.content });
    expect((await get(`/consoles/${paused.id}`)).schedule).toMatchObject({ cron: "0 9 * * *", enabled: true });
    const [boardId] = Object.entries<Facts>(facts.dashboards).find(([, { path }]) => path === "Board") ?? [];
    expect(await get(`/dashboards/${boardId}`)).toMatchObject({ description: "Pushed", version: 3 });
    expect(await get("/consoles/lookup?q=added")).toHaveLength(1);
  });

  it("saves on, and restores what was deleted before the upgrade", async () => {
    const shared = consoleAt("Was private");
    const saved = await consoles.save(shared.id, { version: shared.version, content: "select 'saved'" });
    expect([saved.status, saved.json.data?.version]).toEqual([200, shared.version + 1]);
    expect((await consoles.send("POST", `/${facts.gone}/restore`)).status).toBe(200);
    expect(await get(`/consoles/${facts.gone}`)).toMatchObject({ path: "Deleted", content: "select 'gone'" });
    await git(clone, "pull", "--quiet", "--ff-only");
    expect(readFileSync(join(clone, "consoles/Deleted.sql"), "utf8")).toContain("select 'gone'");
  });
});
