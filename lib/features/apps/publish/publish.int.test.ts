import { randomBytes } from "node:crypto";
import { ObjectId } from "mongodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { collections } from "@/lib/features/instance/collections";
import { readFile } from "@/lib/features/repository/service";
import { call } from "@/test/client";
import { takeOwnDatabase } from "@/test/database";
import { type AppAuthor, authorOf } from "@/test/fixtures/apps/app-author";
import { bindingText, callerOf } from "@/test/fixtures/apps/bindings/binding-world";
import { connectFile } from "@/test/fixtures/connections/connect-file";
import { lapsedWork } from "@/test/fixtures/work/lapsed";
import { type Person, seedMember, seedPerson } from "@/test/seed";
import { DEPLOYMENTS_MAX } from "../limits";
import { getSandbox } from "../sandbox";
import type { App } from "../schema";
import { sweepAppOperations } from "./operations";
import { publishApp } from "./publish";

const own = takeOwnDatabase();
let [ana, ben, stranger] = [] as unknown as [Person, Person, Person];
let [anas, bens] = [] as unknown as [AppAuthor, AppAuthor];
beforeAll(async () => {
  [ana, stranger] = [await seedPerson("Ana"), await seedPerson("Stranger")];
  ben = await seedMember(ana.workspaceId, "member");
  anas = authorOf(ana, ana.workspaceId);
  bens = authorOf(ben, ana.workspaceId);
});
afterAll(own.drop);

/** Without a sandbox, builds are refused with that reason, and static apps can still be published. */
const isSandboxed = (await getSandbox().availability()).isAvailable;
const SHARED = { access: "workspace" };
const free = () => `Sales ${randomBytes(4).toString("hex")}`;
const publish = (author: AppAuthor, { id }: App, body?: unknown) => author.send("POST", `/${id}/publish`, body);
const rollBack = (author: AppAuthor, { id }: App, sha: string) => author.send("POST", `/${id}/rollback`, { sha });
const get = async (author: AppAuthor, { id }: App) => (await author.send("GET", `/${id}`)).json.data as App;
const versions = async (author: AppAuthor, { id }: App) =>
  (await author.send("GET", `/${id}/deployments`)).json.data.items;
const operation = async (author: AppAuthor, { id }: App, operationId: string) =>
  (await author.send("GET", `/${id}/operations/${operationId}`)).json.data;
/** Returns the file that viewers get. */
async function shown(author: AppAuthor, { id }: App, path = "index.html") {
  const minted = (await author.send("POST", `/${id}/view-token`)).json.data;
  return call("GET", `${new URL(minted.url).pathname}${path}`);
}
/** Writes, commits and publishes a page. */
async function publishPage(author: AppAuthor, app: App, text: string) {
  await author.write(app, "index.html", text);
  await author.commit(app);
  const answer = await publish(author, app);
  if (answer.status !== 200) throw new Error(answer.text);
  return answer.json.data as { sha: string; publishedAt: string; operationId: string };
}

describe("publishing an app", () => {
  it("serves the content of main, without a body, and reports its steps", async () => {
    const app = await anas.make(free());
    expect(await shown(anas, app).catch(() => "nothing")).toBe("nothing");
    const { status, json } = await publish(anas, app);
    expect(status).toBe(200);
    const { sha, publishedAt, operationId } = json.data;
    expect(json.data).toEqual({ sha, publishedAt, operationId, note: null });
    expect(await get(anas, app)).toMatchObject({ publishedSha: sha, publishedAt });
    expect((await shown(anas, app)).text).toContain(`<h1>${app.title}</h1>`);
    expect((await shown(anas, app, "style.css")).headers.get("content-type")).toBe("text/css; charset=utf-8");
    expect(await versions(anas, app)).toMatchObject([
      { sha, message: `Add the app ${app.title}`, publishedBy: { id: ana.id }, files: 2, isCurrent: true },
    ]);
    expect(await operation(anas, app, operationId)).toMatchObject({
      kind: "publish",
      state: "done",
      by: { id: ana.id, name: "Ana" },
      steps: ["build", "bindings", "pointer"].map((name) => ({ name, state: "done" })),
      log: ["2 files, served without a build."],
      sha,
      publishedAt,
      error: null,
    });
  });

  it("returns an operation to poll if it takes longer than its response waits", async () => {
    const app = await anas.make(free());
    const started = await publishApp(await callerOf(ana), app.id, {}, 0);
    expect(started).toEqual({ isDone: false, operationId: expect.any(String) });
    await expect.poll(async () => (await operation(anas, app, started.operationId)).state).toBe("done");
    const { sha, publishedAt } = await operation(anas, app, started.operationId);
    expect(await get(anas, app)).toMatchObject({ publishedSha: sha, publishedAt });
  });

  it("merges its caller's commits of this app to main, and their branch continues from there", async () => {
    const [app, other] = [await anas.make(free(), SHARED), await anas.make(free(), SHARED)];
    await anas.write(app, "index.html", "<h1>Mine</h1>");
    await anas.commit(app);
    await anas.write(other, "index.html", "<h1>Not yet</h1>");
    await anas.commit(other);
    const { json } = await publish(anas, app, { message: "A better page" });
    expect((await shown(anas, app)).text).toBe("<h1>Mine</h1>");
    const repositoryId = new ObjectId(ana.workspaceId);
    const onMain = async ({ slug }: App) =>
      (await readFile({ repositoryId, path: `apps/${slug}/index.html` })).content.toString();
    expect(await onMain(app)).toBe("<h1>Mine</h1>");
    expect(await onMain(other)).not.toBe("<h1>Not yet</h1>");
    expect(await anas.status(app)).toMatchObject({ ahead: 0, behind: 0, changes: [] });
    expect(await anas.status(other)).toMatchObject({ ahead: 1, behind: 0, changes: [{ path: "index.html" }] });
    expect((await versions(anas, app))[0]).toMatchObject({ sha: json.data.sha, message: "A better page" });
    // Another user sees it on their branch, and continues from it.
    expect((await bens.read(app, "index.html")).json.data.content).toBe("<h1>Mine</h1>");
    await publishPage(bens, app, "<h1>Ben's</h1>");
    expect((await shown(anas, app)).text).toBe("<h1>Ben's</h1>");
  });

  it("rejects uncommitted files by name, and changes nothing", async () => {
    const app = await anas.make(free());
    await anas.write(app, "index.html", "<h1>A draft</h1>");
    const { status, json } = await publish(anas, app);
    expect(status).toBe(409);
    expect(json).toMatchObject({ code: "conflict", details: { paths: ["index.html"] } });
    expect(json.error).toBe("“index.html” is not committed. Commit or discard changes, then publish.");
    expect((await get(anas, app)).publishedSha).toBeNull();
  });

  it("deploys the same content once, and never builds the same files twice", async () => {
    const app = await anas.make(free());
    const first = (await publish(anas, app)).json.data;
    const second = (await publish(anas, app)).json.data;
    expect(second.sha).toBe(first.sha);
    expect(await versions(anas, app)).toHaveLength(1);
    const began = (await anas.read(app, "index.html")).json.data.content;
    await publishPage(anas, app, "<h1>Other</h1>");
    const back = await publishPage(anas, app, began);
    expect(back.sha).not.toBe(first.sha);
    expect((await operation(anas, app, back.operationId)).log).toEqual(["No changes. Reusing the previous build."]);
    expect(await collections.appBuilds().countDocuments({ appId: new ObjectId(app.id) })).toBe(2);
    expect(await versions(anas, app)).toHaveLength(3);
  });

  it("reports conflicts and accepts resolutions", async () => {
    const app = await anas.make(free(), SHARED);
    await anas.write(app, "index.html", "<h1>Ana</h1>");
    await anas.commit(app);
    await publishPage(bens, app, "<h1>Ben</h1>");
    const refused = await publish(anas, app);
    expect(refused.status).toBe(409);
    const { mainSha, conflicts } = refused.json.details;
    expect(conflicts).toMatchObject([
      { path: "index.html", ours: { content: "<h1>Ben</h1>" }, theirs: { content: "<h1>Ana</h1>" } },
    ]);
    expect((await shown(anas, app)).text).toBe("<h1>Ben</h1>");
    const resolutions = { "index.html": "<h1>Ana and Ben</h1>" };
    // Ben has published first again.
    await publishPage(bens, app, "<h1>Ben again</h1>");
    expect((await publish(anas, app, { resolutions, mainSha })).status).toBe(409);
    expect((await shown(anas, app)).text).toBe("<h1>Ben again</h1>");
    const again = (await publish(anas, app)).json.details.mainSha;
    expect((await publish(anas, app, { resolutions, mainSha: again })).status).toBe(200);
    expect((await shown(anas, app)).text).toBe("<h1>Ana and Ben</h1>");
    expect(await anas.status(app)).toMatchObject({ ahead: 0, changes: [] });
    await publishPage(anas, app, "<h1>On from there</h1>");
  });

  it("fails with the reason, and keeps the published version", async () => {
    const app = await anas.make(free());
    await publishPage(anas, app, "<h1>One</h1>");
    await anas.remove(app, "index.html");
    await anas.commit(app);
    const failed = await publish(anas, app);
    expect([failed.status, failed.json.code]).toEqual([422, "build_failed"]);
    expect(failed.json.error).toBe("“index.html” is missing. Add it, commit and publish again.");
    expect((await shown(anas, app)).text).toBe("<h1>One</h1>");
    const last = (await anas.send("GET", `/${app.id}/operations`)).json.data.items;
    expect(last.map(({ state }: { state: string }) => state)).toEqual(["failed", "done"]);
    expect(last[0].error).toMatchObject({ code: "build_failed" });
    // None of it has reached main.
    expect(await anas.status(app)).toMatchObject({ ahead: 1 });
  });

  it("builds what browsers can't run, and names the place of a build failure", async () => {
    const app = await anas.make(free());
    await anas.write(app, "index.html", '<h1>Built</h1><script type="module" src="./main.ts"></script>');
    await anas.write(app, "main.ts", "document.title = 'Built' satisfies string;");
    await anas.commit(app);
    const { status, json, text } = await publish(anas, app);
    if (!isSandboxed) {
      expect([status, json.code]).toEqual([503, "sandbox_unavailable"]);
      return;
    }
    expect([status, text]).toEqual([200, expect.any(String)]);
    const page = (await shown(anas, app)).text;
    const script = /src="\.?\/?([^"]+\.js)"/.exec(page)?.[1] ?? "";
    const served = await shown(anas, app, script);
    expect(served.headers.get("content-type")).toBe("text/javascript; charset=utf-8");
    expect(served.headers.get("cache-control")).toContain("immutable");
    expect(served.text).toContain("Built");
    expect((await shown(anas, app, "main.ts")).status).toBe(404);

    await anas.write(app, "main.ts", "import { nothing } from './missing';\nnothing();");
    await anas.commit(app);
    const failed = await publish(anas, app);
    expect([failed.status, failed.json.code]).toEqual([422, "build_failed"]);
    expect(failed.json.details.problems).toMatchObject([{ path: "main.ts", line: 1 }]);
    expect((await shown(anas, app)).text).toBe(page);
  });

  it("keeps queries of bindings and tool files on the server", async () => {
    const app = await anas.make(free());
    await anas.write(app, "bindings/orders.sql", bindingText(await connectFile(ana), "select 'secret' as word"));
    await anas.write(app, ".env", "KEY=secret");
    await anas.write(app, "__data/other.json", "[]");
    await anas.commit(app);
    expect((await publish(anas, app)).json.data.sha).toBeTruthy();
    for (const path of ["bindings/orders.sql", ".env", "__data/other.json"]) {
      expect((await shown(anas, app, path)).status).toBe(404);
    }
  });

  it("runs two concurrent ones in sequence, both succeeding", async () => {
    const app = await anas.make(free(), SHARED);
    const people = [anas, bens];
    for (const [n, author] of people.entries()) {
      await author.write(app, `by-${n}.txt`, `file ${n}`);
      await author.commit(app);
    }
    const answers = await Promise.all([...people, ...people].map((author) => publish(author, app)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect((await shown(anas, app, "by-0.txt")).text).toBe("file 0");
    expect((await shown(anas, app, "by-1.txt")).text).toBe("file 1");
  });

  it("fails when its server died, and runs the next one", async () => {
    const app = await anas.make(free());
    const { operationId, sha } = await publishPage(anas, app, "<h1>One</h1>");
    const [appId, workspaceId] = [new ObjectId(app.id), new ObjectId(ana.workspaceId)];
    const done = await collections.appOperations().findOne({ _id: new ObjectId(operationId) });
    if (!done) throw new Error("no operation");
    const left = { ...done, _id: new ObjectId(), state: "running" as const, runsFor: appId, sha: null, endedAt: null };
    await collections.appOperations().insertOne({ ...left, work: lapsedWork() });
    await sweepAppOperations();
    expect(await operation(anas, app, left._id.toHexString())).toMatchObject({
      state: "failed",
      error: { code: "unavailable" },
    });
    expect((await get(anas, app)).publishedSha).toBe(sha);
    // One that no sweep has removed yet does not block others either.
    await collections
      .appOperations()
      .updateOne({ _id: left._id, workspaceId }, { $set: { state: "running", runsFor: appId } });
    await publishPage(anas, app, "<h1>Two</h1>");
    expect((await shown(anas, app)).text).toBe("<h1>Two</h1>");
  });

  it("keeps a number of versions, and nothing of older ones", async () => {
    const app = await anas.make(free());
    const appId = new ObjectId(app.id);
    await publishPage(anas, app, "<h1>First</h1>");
    const first = await collections.appDeployments().findOne({ appId });
    if (!first) throw new Error("no deployment");
    const more = Array.from({ length: DEPLOYMENTS_MAX }, (_, n) => ({
      ...first,
      _id: new ObjectId(),
      buildId: new ObjectId(),
      sha: n.toString(16).padStart(40, "0"),
    }));
    await collections.appDeployments().insertMany(more);
    await publishPage(anas, app, "<h1>Last</h1>");
    // The deployment that was live so far is kept beside them.
    expect(await collections.appDeployments().countDocuments({ appId })).toBe(DEPLOYMENTS_MAX + 1);
    await publishPage(anas, app, "<h1>Very last</h1>");
    expect(await collections.appDeployments().countDocuments({ appId })).toBe(DEPLOYMENTS_MAX);
    expect(await collections.appBuilds().countDocuments({ appId, _id: first.buildId })).toBe(0);
    expect(await collections.appBuiltFiles().countDocuments({ appId, buildId: first.buildId })).toBe(0);
    // Newer deployments use its style too; only its page was unique.
    const hashes = await collections.appBlobParts().distinct("hash", { appId });
    const used = await collections.appBuiltFiles().distinct("hash", { appId });
    expect(hashes.sort()).toEqual(used.sort());
    expect((await shown(anas, app)).text).toBe("<h1>Very last</h1>");
  });

  it("is allowed for members, of visible apps", async () => {
    const app = await anas.make(free());
    expect((await publish(bens, app)).status).toBe(404);
    const theirs = authorOf(stranger, ana.workspaceId);
    expect((await publish(theirs, app)).status).toBe(403);
    const { operationId } = (await publish(anas, app)).json.data;
    const other = await anas.make(free());
    expect((await anas.send("GET", `/${other.id}/operations/${operationId}`)).status).toBe(404);
    expect((await anas.send("GET", `/${app.id}/operations/${new ObjectId()}`)).status).toBe(404);
  });
});

describe("rolling back", () => {
  it("serves an earlier version, and back, without touching main", async () => {
    const app = await anas.make(free());
    const one = await publishPage(anas, app, "<h1>One</h1>");
    const two = await publishPage(anas, app, "<h1>Two</h1>");
    const { status, json } = await rollBack(anas, app, one.sha);
    expect([status, json.data.sha]).toEqual([200, one.sha]);
    expect((await shown(anas, app)).text).toBe("<h1>One</h1>");
    expect((await get(anas, app)).publishedSha).toBe(one.sha);
    expect((await anas.read(app, "index.html")).json.data.content).toBe("<h1>Two</h1>");
    expect((await versions(anas, app)).map(({ isCurrent }: { isCurrent: boolean }) => isCurrent)).toEqual([
      false,
      true,
    ]);
    expect((await operation(anas, app, json.data.operationId)).steps).toMatchObject([
      { name: "bindings" },
      { name: "pointer" },
    ]);
    await rollBack(anas, app, two.sha);
    expect((await shown(anas, app)).text).toBe("<h1>Two</h1>");
  });

  it("is rejected for an unpublished commit", async () => {
    const app = await anas.make(free());
    await publish(anas, app);
    expect((await rollBack(anas, app, "0".repeat(40))).status).toBe(404);
    expect((await rollBack(anas, app, "abc")).status).toBe(400);
  });
});

describe("deleting an app", () => {
  it("removes everything that it served", async () => {
    const app = await anas.make(free());
    await publishPage(anas, app, "<h1>One</h1>");
    const minted = (await anas.send("POST", `/${app.id}/view-token`)).json.data;
    await anas.send("DELETE", `/${app.id}`);
    const appId = new ObjectId(app.id);
    for (const each of ["appOperations", "appDeployments", "appBuilds", "appBuiltFiles", "appBlobParts"] as const) {
      expect(await collections[each]().countDocuments({ appId } as object), each).toBe(0);
    }
    expect((await call("GET", new URL(minted.url).pathname)).status).toBe(404);
  });
});
