import { setTimeout as sleep } from "node:timers/promises";
import { ObjectId } from "mongodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { getSandbox } from "@/lib/features/apps/sandbox";
import { randomOf } from "@/test/random";
import { registerAt, type Server, Servers } from "./two-servers";

/*
 * A real server that is killed in the middle of a publish: viewers get either the whole earlier version or the whole
 * next one.
 */

/** Includes a build if this file runs alone on a changed tree. */
const START_TIMEOUT_MS = 240_000;
/** Longer than any build, on a busy machine too. */
const PUBLISH_TIMEOUT_MS = 120_000;
const KILLS = Number(process.env.PUBLISH_KILLS ?? 2);
const seed = Number(process.env.FAULTS_SEED ?? Date.now() % 1_000_000);
const random = randomOf(seed);
const isSandboxed = (await getSandbox().availability()).isAvailable;

let servers: Servers;
let server: Server;
let ana: Awaited<ReturnType<typeof registerAt>>;

beforeAll(async () => {
  servers = new Servers();
  server = await servers.start();
  ana = await registerAt(server);
}, START_TIMEOUT_MS);
afterAll(() => servers?.close());

/** Returns the files of a version; each contains its name. One is built if a sandbox is available. */
const filesOf = (version: string) => ({
  "index.html": `<h1>${version}</h1>${isSandboxed ? '<script type="module" src="./main.ts"></script>' : ""}`,
  ...(isSandboxed && { "main.ts": `document.title = ${JSON.stringify(version)} satisfies string;` }),
  "public/about.txt": version,
});

async function commit(appId: string, version: string): Promise<void> {
  for (const [path, content] of Object.entries(filesOf(version))) {
    const answer = await fetch(`${server.url}${ana.home}/apps/${appId}/files?path=${encodeURIComponent(path)}`, {
      method: "PUT",
      headers: { cookie: ana.cookie, "content-type": "application/octet-stream" },
      body: content,
    });
    expect([answer.status, path]).toEqual([200, path]);
  }
  await ana.send(server, "POST", `/apps/${appId}/commit`, { message: version });
}

/** Publishes, and waits for the end if it takes longer than the response waits (202). */
async function publish(appId: string): Promise<void> {
  const { operationId } = await ana.send(server, "POST", `/apps/${appId}/publish`);
  const stateOf = async () => (await ana.send(server, "GET", `/apps/${appId}/operations/${operationId}`)).state;
  await expect.poll(stateOf, { timeout: PUBLISH_TIMEOUT_MS }).toBe("done");
}

/** Returns the version of each file that a viewer gets. */
async function shownOf(appId: string): Promise<string[]> {
  const { url } = await ana.send(server, "POST", `/apps/${appId}/view-token`);
  const get = async (path: string) => {
    const answer = await fetch(new URL(path, new URL(new URL(url).pathname, server.url)));
    expect([path, answer.status]).toEqual([path, 200]);
    return answer.text();
  };
  const page = await get("");
  const script = /src="\.?\/?([^"]+\.js)"/.exec(page)?.[1];
  const texts = [page, await get(isSandboxed ? "about.txt" : "public/about.txt")];
  if (script) texts.push(await get(script));
  expect(texts).toHaveLength(isSandboxed ? 3 : 2);
  return texts.map((text) => /version-\d+/.exec(text)?.[0] ?? text);
}

describe(`with seed ${seed}`, () => {
  it(`keeps an app whole after each of ${KILLS} kills during a publish, and the next publish succeeds (F2)`, {
    tags: ["long"],
    timeout: START_TIMEOUT_MS + KILLS * 60_000,
  }, async () => {
    const { id } = await ana.send(server, "POST", "/apps", { title: "Whole" });
    const operations = servers.store.collection("app_operations");
    await commit(id, "version-0");
    const startedAt = performance.now();
    await publish(id);
    const publishMs = performance.now() - startedAt;
    let shown = "version-0";

    for (let kill = 1; kill <= KILLS; kill++) {
      const next = `version-${kill}`;
      await commit(id, next);
      const answer = ana.send(server, "POST", `/apps/${id}/publish`).then(
        // Without a result, it is still running.
        ({ publishedAt }) => publishedAt !== undefined,
        () => false,
      );
      await expect.poll(() => operations.countDocuments({ state: { $in: ["queued", "running"] } })).toBe(1);
      await sleep(random() * publishMs);
      await servers.kill(server);
      const isAnswered = await answer;
      server = await servers.start();

      const [version = "", ...others] = await shownOf(id);
      expect(isAnswered ? [next] : [shown, next]).toContain(version);
      expect([...new Set(others)]).toEqual([version]);
      // The served version is the one that the app reports.
      const app = await ana.send(server, "GET", `/apps/${id}`);
      const published = await servers.store.collection("app_deployments").findOne({ sha: app.publishedSha });
      expect(await servers.store.collection("app_builds").countDocuments({ _id: published?.buildId })).toBe(1);

      // The test ends the lease of the killed server, instead of waiting.
      await operations.updateMany({ state: { $in: ["queued", "running"] } }, { $set: { "work.dueAt": new Date(0) } });
      await publish(id);
      expect(new Set(await shownOf(id))).toEqual(new Set([next]));
      shown = next;
    }
    const left = await operations.find({ appId: new ObjectId(String(id)) }).toArray();
    expect(left.filter(({ state }) => state === "queued" || state === "running")).toEqual([]);
  });

  it("ends operations of a killed server with a message, then runs the next publish (F2)", {
    tags: ["long"],
    timeout: START_TIMEOUT_MS,
  }, async () => {
    const { id } = await ana.send(server, "POST", "/apps", { title: "Left" });
    await commit(id, "version-0");
    await publish(id);
    await commit(id, "version-1");
    const operations = servers.store.collection("app_operations");
    const open = { appId: new ObjectId(String(id)), state: { $in: ["queued", "running"] } };
    const cut = ana.send(server, "POST", `/apps/${id}/publish`).catch(() => null);
    await expect.poll(() => operations.countDocuments(open), { interval: 5 }).toBe(1);
    await servers.kill(server);
    await cut;
    server = await servers.start();
    const left = await operations.findOne({ appId: open.appId, state: { $ne: "done" } });
    expect(new Set(await shownOf(id))).toEqual(new Set(["version-0"]));

    await publish(id);
    const toldOf = () => ana.send(server, "GET", `/apps/${id}/operations/${left?._id}`);
    await expect.poll(async () => (await toldOf()).state, { timeout: 90_000, interval: 1000 }).toBe("failed");
    expect((await toldOf()).error).toMatchObject({
      code: "unavailable",
      message: expect.stringContaining("The previous version is still live. Publish again."),
    });
    await expect.poll(async () => [...new Set(await shownOf(id))], { timeout: 60_000 }).toEqual(["version-1"]);
    expect(await operations.countDocuments(open)).toBe(0);
  });
});
