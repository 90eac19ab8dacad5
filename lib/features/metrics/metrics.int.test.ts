import { mkdir, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { collections } from "@/lib/features/instance/collections";
import { env } from "@/lib/platform/env";
import { projectCommand } from "@/scripts/commands/project-repository";
import { call } from "@/test/client";
import { takeOwnDatabase } from "@/test/database";
import { modelText } from "@/test/fixtures/metrics/metric-files";
import { cloneTo, type GitWorld, newGitWorld } from "@/test/fixtures/repository/git/git-world";
import { git } from "@/test/fixtures/repository/git-command";
import { type Person, seedMember, seedPerson } from "@/test/seed";

const own = takeOwnDatabase();
let world: GitWorld;
let member: Person;
beforeAll(async () => {
  env().RATE_LIMIT_SCALE = 100;
  world = await newGitWorld();
  member = await seedMember(world.owner.workspaceId, "member");
});
afterAll(async () => {
  await world.end();
  await own.drop();
});

const send = (method: string, path: string, body?: unknown, person: Person = world.owner) =>
  call(method, `/api/workspaces/${world.owner.workspaceId}/metrics${path}`, { cookie: person.cookie, body });
const put = (name: string, body: Record<string, unknown> = {}, person?: Person) =>
  send("PUT", `/${name}`, { content: modelText({ metric: name }), ...body }, person);

describe("metric files", () => {
  it("creates, lists, changes and deletes a file, each as a commit by its author", async () => {
    const created = await put("revenue", { message: "Add revenue" });
    expect(created.json.data).toMatchObject({
      ...{ name: "revenue", title: "Shop revenue", description: "Orders of the shop", version: 1, error: null },
      ...{ metrics: ["revenue"], datasets: ["orders"], dimensions: ["orders.status"], usedBy: [] },
      owner: { id: world.owner.id, name: "Olga" },
    });
    const content = modelText({ metric: "revenue", expression: "SUM(orders.total)" });
    expect((await put("revenue", { content, version: 1 }, member)).json.data).toMatchObject({ version: 2, content });
    const { items } = (await send("GET", "")).json.data;
    expect(items).toEqual([expect.objectContaining({ name: "revenue", version: 2 })]);
    expect(items[0].content).toBeUndefined();
    const history = (await send("GET", "/revenue/git/history")).json.data.items;
    expect(
      history.map(({ subject, author }: { subject: string; author: { email: string } }) => [subject, author.email]),
    ).toEqual([
      ["Save revenue", member.email],
      ["Add revenue", world.owner.email],
    ]);
    const commit = await send("GET", `/revenue/git/commit?sha=${history[0].sha}`);
    expect(commit.json.data.files).toEqual([expect.objectContaining({ path: "metrics/revenue.yml", after: content })]);
    const restored = await send("POST", "/revenue/git/restore", { sha: history[1].sha.slice(0, 10) });
    expect(restored.json.data).toMatchObject({ version: 3, content: modelText({ metric: "revenue" }) });
    expect((await send("GET", "/revenue/git/history")).json.data.items[0].subject).toBe(
      `Restore revenue to ${history[1].sha.slice(0, 7)}`,
    );
    for (const [sha, status] of [
      ["xyz", 400],
      ["0".repeat(40), 404],
    ] as const) {
      expect((await send("POST", "/revenue/git/restore", { sha })).status).toBe(status);
    }
    expect((await send("DELETE", "/revenue")).status).toBe(200);
    expect((await send("POST", "/revenue/git/restore", { sha: history[1].sha })).status).toBe(404);
    expect((await send("DELETE", "/revenue")).status).toBe(404);
    expect((await send("GET", "/revenue")).status).toBe(404);
  });

  it("keeps the text as it was sent, with comments, order and spaces", async () => {
    const content = `# Note\n${modelText({ metric: "kept" })}\n\n# End   \n`;
    await put("kept", { content });
    expect((await send("GET", "/kept")).json.data.content).toBe(content);
  });

  it("returns 400 with path, line and message of each problem, and saves nothing", async () => {
    const content = modelText({ expression: "SUM(a) FROM b" });
    const refused = await put("broken", { content });
    expect(refused.status).toBe(400);
    expect(refused.json.details).toEqual([
      {
        path: "semantic_model.0.metrics.0.expression.dialects.0.expression",
        line: 20,
        message: "Unexpected “FROM”. (character 8)",
      },
    ]);
    expect((await send("GET", "/broken")).status).toBe(404);
  });

  it("returns 400 for a connection of another workspace and for an unknown one", async () => {
    const other = await seedPerson("Other");
    const connector = { name: "Theirs", type: "sqlite", config: { file: "theirs.sqlite" } };
    await call("POST", `/api/workspaces/${other.workspaceId}/connectors`, { cookie: other.cookie, body: connector });
    for (const connection of ["Theirs", "Nothing"]) {
      const refused = await put("foreign", { content: modelText({ connection }) });
      expect(refused.status).toBe(400);
      expect(refused.json.details).toEqual([
        {
          path: "semantic_model.0.datasets.0.source",
          line: 6,
          message: `Connection “${connection}” not found. Use the name of an SQL connection of this workspace.`,
        },
      ]);
    }
  });

  it("says so when its connection is gone", async () => {
    const base = `/api/workspaces/${world.owner.workspaceId}/connectors`;
    const body = { name: "Renamed later", type: "sqlite", config: { file: "later.sqlite" } };
    const { id } = (await call("POST", base, { cookie: world.owner.cookie, body })).json.data;
    await put("moved", { content: modelText({ metric: "moved", connection: "Renamed later" }) });
    await call("PATCH", `${base}/${id}`, { cookie: world.owner.cookie, body: { name: "Renamed" } });
    expect((await send("GET", "/moved")).json.data.error).toBe(
      "Connection “Renamed later” not found. Rename it in the file.",
    );
    await send("DELETE", "/moved");
  });

  it("returns 409 with the current state for a stale version, and 404 for a version of no file", async () => {
    await put("stale");
    const refused = await put("stale", { version: 0 });
    expect(refused.status).toBe(409);
    expect(refused.json.details.current).toMatchObject({ name: "stale", version: 1 });
    expect((await put("absent", { version: 3 })).status).toBe(404);
  });

  it("accepts one of two saves of one version, also of two new files", async () => {
    for (const version of [0, 1]) {
      const statuses = await Promise.all([put("twice", { version }), put("twice", { version }, member)]);
      expect(statuses.map(({ status }) => status).sort()).toEqual([200, 409]);
    }
    expect((await send("GET", "/twice")).json.data.version).toBe(2);
    expect((await put("TWICE")).status).toBe(409);
  });

  it.each(["..", "a%2Fb", "a.b", "query", "%00", "a b", "é", "-a", "x".repeat(101), "con", "a\\b"])(
    "refuses the name %s",
    async (name) => {
      const before = await collections.metrics().countDocuments({});
      expect([400, 404, 405]).toContain((await put(name)).status);
      expect(await collections.metrics().countDocuments({})).toBe(before);
    },
  );

  it("reads and writes nothing of another workspace", async () => {
    const other = await seedPerson("Stranger");
    await put("mine");
    expect((await send("GET", "/mine", undefined, other)).status).toBe(403);
    const path = `/api/workspaces/${other.workspaceId}/metrics`;
    expect((await call("GET", `${path}/mine`, { cookie: other.cookie })).status).toBe(404);
    expect((await call("GET", path, { cookie: other.cookie })).json.data.items).toEqual([]);
  });
});

describe("metric files by git", () => {
  const ME = ["-c", "user.name=Bo", "-c", "user.email=bo@example.com"];
  let clones = 0;

  /** Pushes files as one commit. @returns the text on stderr if the push was refused */
  async function push(files: Record<string, string | null>): Promise<string | null> {
    const clone = await cloneTo(world, world.urlFor(await world.keyOf(world.owner)), `metrics-${clones++}`);
    for (const [path, content] of Object.entries(files)) {
      await mkdir(dirname(join(clone, path)), { recursive: true });
      if (content === null) await rm(join(clone, path));
      else await writeFile(join(clone, path), content);
    }
    await git(clone, "add", "--all");
    await git(clone, ...ME, "commit", "--quiet", "--message", "Change metrics");
    return git(clone, "push", "--quiet", "origin", "HEAD:main").then(
      () => null,
      (error: { stderr: string }) => error.stderr,
    );
  }

  it("takes, renames and deletes files of a push", async () => {
    expect(await push({ "metrics/pushed.yml": modelText({ metric: "pushed" }) })).toBeNull();
    const pushed = (await send("GET", "/pushed")).json.data;
    expect(pushed).toMatchObject({ version: 1, metrics: ["pushed"], owner: { id: world.owner.id } });
    const content = modelText({ metric: "pushed_again" });
    expect(await push({ "metrics/pushed.yml": null, "metrics/renamed.yml": content })).toBeNull();
    expect((await send("GET", "/renamed")).json.data).toMatchObject({ id: pushed.id, metrics: ["pushed_again"] });
    expect((await send("GET", "/pushed")).status).toBe(404);
    expect(await push({ "metrics/renamed.yml": null })).toBeNull();
    expect((await send("GET", "/renamed")).status).toBe(404);
  });

  it("refuses a push with a broken file, with its path, line and reason", async () => {
    const broken = modelText({ expression: "SUM(a" });
    expect(await push({ "metrics/fine.yml": modelText(), "metrics/bad.yml": broken })).toContain(
      "metrics/bad.yml is not a valid metric: line 20: semantic_model.0.metrics.0.expression.dialects.0.expression: The expression is incomplete.",
    );
    expect((await send("GET", "/fine")).status).toBe(404);
    const foreign = modelText({ connection: "Nothing" });
    expect(await push({ "metrics/bad.yml": foreign })).toContain(
      "metrics/bad.yml: line 6: semantic_model.0.datasets.0.source: Connection “Nothing” not found.",
    );
  });

  it("refuses names that the API has not", async () => {
    for (const path of ["metrics/a/b.yml", "metrics/query.yml", "metrics/a.yaml", "metrics/a b.yml"]) {
      expect(await push({ [path]: modelText() })).toContain(`${path} is not a metric.`);
    }
  });

  it("restores lost and damaged metric files from git by npm run repo:project", async () => {
    await put("lost");
    await put("damaged");
    const before = [(await send("GET", "/lost")).json.data, (await send("GET", "/damaged")).json.data];
    await collections.metrics().deleteOne({ path: "lost" });
    await collections.metrics().updateOne({ path: "damaged" }, { $set: { content: "broken", metrics: [] } });
    expect(await projectCommand([world.owner.workspaceId], () => undefined)).toBe(0);
    const [lost, damaged] = [await send("GET", "/lost"), await send("GET", "/damaged")];
    expect(lost.json).toMatchObject({ data: { id: before[0].id, content: before[0].content } });
    expect(damaged.json).toMatchObject({ data: { content: before[1].content, metrics: ["damaged"] } });
  });
});
