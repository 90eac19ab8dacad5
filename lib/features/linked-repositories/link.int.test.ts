import { createHmac, randomBytes } from "node:crypto";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { findBranch, listTree } from "@/lib/features/repository/service";
import type { Claim } from "@/lib/platform/work/heartbeat";
import { splitCases } from "@/test/cases";
import { call } from "@/test/client";
import { git, gitLines } from "@/test/fixtures/repository/git-command";
import {
  authorize,
  begin,
  drain,
  events,
  folder,
  hereOf,
  host,
  type Linked,
  ME,
  nextNumber,
  passTime,
  pushAtHost,
  save,
  takeHost,
  thereOf,
} from "@/test/fixtures/repository/hosts/linked-workspace";
import { lapsedWork } from "@/test/fixtures/work/lapsed";
import { seedKey, seedMember } from "@/test/seed";
import { collections } from "./collections";
import { sweepLinks, wakeSync } from "./enqueue";
import { endAuthorization } from "./installations";
import { linkWork, syncLink } from "./sync";

takeHost();

describe("linking", () => {
  it("imports a repository's apps, each as a shared app", async () => {
    const world = await begin({ "apps/sales-board/index.html": "<h1>Sales</h1>\n", "README.md": "# Ours\n" });
    const { status, json } = await world.link();
    expect([status, json.data?.adoption]).toEqual([200, "imported"]);
    expect(json.data.repo).toMatchObject({
      owner: "acme",
      repo: world.name,
      defaultBranch: "main",
      subdirectory: "",
      installationId: world.installationId,
      state: "synced",
      problem: null,
      conflicts: [],
    });
    expect(await hereOf(world)).toEqual({ "apps/sales-board/index.html": "<h1>Sales</h1>\n" });
    const app = await call("GET", `/api/workspaces/${world.owner.workspaceId}/apps/sales-board`, {
      cookie: world.owner.cookie,
    });
    expect(app.json.data).toMatchObject({ slug: "sales-board", title: "Sales board", access: "workspace" });
    // Linking again updates the link and creates no second one.
    expect((await world.link()).json.data.adoption).toBe("imported");
    expect(await gitLines(world.repository.dir, "rev-list", "--count", "main")).toEqual(["1"]);
  });

  it("seeds an empty repository with the workspace's apps, or starts fresh", { tags: ["long"] }, async () => {
    const fresh = await begin();
    expect((await fresh.link()).json.data.adoption).toBe("fresh");
    const world = await begin();
    await save(world, "An app", { "apps/orders/index.html": "1\n", "apps/orders/lib/a.ts": "2\n", "README.md": "x\n" });
    const { json } = await world.link({ defaultBranch: "main" });
    expect(json.data).toMatchObject({ adoption: "seeded", repo: { state: "synced" } });
    expect(await thereOf(world, "")).toEqual({
      ...{ "apps/orders/index.html": "1\n", "apps/orders/lib/a.ts": "2\n" },
      "README.md": "x\n",
    });
  });

  it("leaves the rest of a repository alone for a folder", { tags: ["long"] }, async () => {
    const world = await begin({ "src/main.c": "int main;\n", "data/apps/first/index.html": "1\n" });
    await save(world, "Ours", { "apps/second/index.html": "2\n" });
    expect((await world.link({ subdirectory: "data" })).json.data).toMatchObject({ repo: { state: "synced" } });
    expect(await thereOf(world, "")).toEqual({
      "src/main.c": "int main;\n",
      "data/apps/first/index.html": "1\n",
      "data/apps/second/index.html": "2\n",
    });
    expect(await hereOf(world)).toEqual({ "apps/first/index.html": "1\n", "apps/second/index.html": "2\n" });
  });

  it("checks in order: role, body, host, conflict, and accepts plain names only (T89)", async () => {
    const world = await begin({ "apps/one/index.html": "1\n" });
    const member = await seedMember(world.owner.workspaceId, "member");
    const post = (cookie: string, body: unknown) => call("POST", world.at, { cookie, body });
    const good = { owner: "acme", repo: world.name };
    expect((await post(member.cookie, { owner: "--upload-pack=x" })).status).toBe(403);
    const bad = ["--upload-pack=touch", "-oProxyCommand=x", "a/b", "https://evil", "a b", "..", "", "ä", "a\u0000"];
    for (const text of bad) {
      for (const body of [
        { ...good, owner: text },
        { ...good, repo: text },
        ...(text === "" || text === "a/b" ? [] : [{ ...good, defaultBranch: text }]),
      ]) {
        expect([body, (await post(world.owner.cookie, body)).status]).toEqual([body, 400]);
      }
    }
    for (const subdirectory of ["../x", "/etc", "a//b", ".git", "a/../b", "-x", "a\\b"]) {
      expect([subdirectory, (await post(world.owner.cookie, { ...good, subdirectory })).status]).toEqual([
        subdirectory,
        400,
      ]);
    }
    expect((await post(world.owner.cookie, { ...good, repo: "no-such" })).status).toBe(404);
    expect((await post(world.owner.cookie, { ...good, defaultBranch: "no-such" })).status).toBe(404);
    expect((await world.link()).status).toBe(200);
    const other = await begin();
    await authorize(other.owner, world.person);
    const taken = await call("POST", other.at, { cookie: other.owner.cookie, body: good });
    expect([taken.status, taken.json.code]).toEqual([409, "conflict"]);
    // A workspace has one link.
    await authorize(world.owner, { ...world.person, installations: [world.installationId, other.installationId] });
    expect((await post(world.owner.cookie, { owner: "acme", repo: other.name })).status).toBe(409);
  });

  it("accepts the person's own installation and writable repositories only (T101)", async () => {
    const world = await begin({ "apps/one/index.html": "1\n" });
    const stranger = await begin();
    const body = { owner: "acme", repo: world.name };
    const cookie = stranger.owner.cookie;
    const foreign = await call("POST", stranger.at, {
      cookie,
      body: { ...body, installationId: world.installationId },
    });
    expect([foreign.status, foreign.json.code]).toEqual([403, "forbidden"]);
    expect((await call("POST", stranger.at, { cookie, body })).status).toBe(404);
    // A user who sees the installation, but may only read the repository.
    await authorize(stranger.owner, { login: "reader", installations: [world.installationId] });
    expect((await call("POST", stranger.at, { cookie, body })).status).toBe(404);
    expect(await stranger.state()).toMatchObject({
      configured: true,
      repo: null,
      installations: [{ installationId: world.installationId, account: `account-${world.installationId}` }],
    });
  });

  it("uses the host's callback once, for its person and session, within ten minutes (T101)", async () => {
    const { owner, person } = await begin();
    const at = `/api/workspaces/${owner.workspaceId}/apps-v2/repohost-sync-url`;
    const start = async (cookie = owner.cookie) => {
      const back = new URL(host.agree((await call("GET", at, { cookie })).json.data.url, person));
      return `${back.pathname}${back.search}`;
    };
    const come = (back: string, cookie?: string) => call("GET", back, cookie === undefined ? {} : { cookie });
    const back = await start();
    expect((await come(back, owner.cookie)).headers.get("location")).toMatch(
      /^http:\/\/localhost:3000\/w\/[^/]+\/apps\/link\?authorization=done$/,
    );
    expect((await come(back, owner.cookie)).status).toBe(400);
    const other = await seedMember(owner.workspaceId, "admin");
    expect((await come(await start(), other.cookie)).status).toBe(400);
    expect((await come(await start())).status).toBe(401);
    const login = await call("POST", "/api/auth/login", {
      body: { email: owner.email, password: "a short sentence works" },
    });
    const second = login.headers.getSetCookie()[0]?.split(";")[0] ?? "";
    expect((await come(await start(), second)).status).toBe(400);
    const forged = (await start()).replace(
      /state=([^.]+)\.(.)/,
      (_, token, digit) => `state=${token}.${digit === "0" ? "1" : "0"}`,
    );
    expect((await come(forged, owner.cookie)).status).toBe(400);
    expect((await come("/api/repohost/callback?code=x", owner.cookie)).status).toBe(400);
    const late = new Request(new URL(await start(), "http://localhost:3000"), { headers: { cookie: owner.cookie } });
    await expect(endAuthorization(late, new Date(Date.now() + 10 * 60 * 1000 + 1))).rejects.toMatchObject({
      kind: "invalid_request",
    });
    // A user who declines at the host is redirected as well.
    const refused = (await start()).replace(/code=[^&]+/, "error=access_denied");
    expect((await come(refused, owner.cookie)).headers.get("location")).toContain("authorization=refused");
    const member = await seedMember(owner.workspaceId, "member");
    expect((await call("GET", at, { cookie: member.cookie })).status).toBe(403);
    expect((await call("GET", at, { key: await seedKey(owner.workspaceId, owner) })).status).toBe(200);
  });

  it("ends by unlinking, and both sides keep their files", async () => {
    const world = await begin({ "apps/one/index.html": "1\n" });
    await world.link();
    expect((await call("DELETE", world.at, { cookie: world.owner.cookie })).status).toBe(200);
    expect((await call("DELETE", world.at, { cookie: world.owner.cookie })).status).toBe(404);
    events.length = 0;
    await save(world, "After", { "apps/one/index.html": "2\n" });
    expect(await drain()).toBe(0);
    expect(await thereOf(world)).toEqual({ "apps/one/index.html": "1\n" });
    expect((await world.link()).json.data.repo.state).toBe("conflict");
  });
});

describe("a linked repository", () => {
  it("receives each commit of main with author and message, and returns pushes", async () => {
    const world = await begin({ "apps/one/index.html": "1\n", "apps/one/old.ts": "old\n" });
    await world.link();
    events.length = 0;
    await save(world, "Second", { "apps/one/index.html": "2\n" });
    await save(world, "A console", { "consoles/a.sql": "select 1\n" });
    await save(world, "Third", { "apps/one/new.ts": "new\n", "apps/one/old.ts": null });
    expect(await drain()).toBe(3);
    expect(await thereOf(world)).toEqual(await hereOf(world));
    expect(await gitLines(world.repository.dir, "log", "--format=%s|%an|%ae", "main")).toEqual([
      "Third|Olga|olga@example.com",
      "A console|Olga|olga@example.com",
      "Second|Olga|olga@example.com",
      "Begin|Hana|hana@example.com",
    ]);
    await pushAtHost(world, "From afar", {
      "apps/one/index.html": "3\n",
      "apps/one/new.ts": null,
      "apps/two/a.ts": "a\n",
    });
    await syncLink(world.workspaceId);
    expect(await hereOf(world)).toEqual({ "apps/one/index.html": "3\n", "apps/two/a.ts": "a\n" });
    const head = await findBranch(world.workspaceId, "main");
    // In sync: nothing moves on either side.
    const there = await gitLines(world.repository.dir, "rev-parse", "main");
    await syncLink(world.workspaceId);
    await drain();
    expect(await findBranch(world.workspaceId, "main")).toBe(head);
    expect(await gitLines(world.repository.dir, "rev-parse", "main")).toEqual(there);
  });

  it("merges changes of different files", async () => {
    const world = await begin({ "apps/one/a.ts": "1\n", "apps/one/b.ts": "1\n" });
    await world.link();
    await pushAtHost(world, "Theirs", { "apps/one/a.ts": "theirs\n" });
    await save(world, "Ours", { "apps/one/b.ts": "ours\n" });
    await syncLink(world.workspaceId);
    const both = { "apps/one/a.ts": "theirs\n", "apps/one/b.ts": "ours\n" };
    expect([await hereOf(world), await thereOf(world)]).toEqual([both, both]);
    expect((await world.state()).repo.state).toBe("synced");
  });

  for (const { tags, cases } of splitCases(["workspace", "host"] as const, 2))
    it.each(cases)("reports a file that both changed until %s is selected", { tags }, async (prefer) => {
      const world = await begin({ "apps/one/a.ts": "1\n", "apps/one/b.ts": "1\n" });
      await world.link();
      await pushAtHost(world, "Theirs", { "apps/one/a.ts": "host\n", "apps/one/c.ts": "c\n" });
      await save(world, "Ours", { "apps/one/a.ts": "workspace\n", "apps/one/b.ts": null });
      await syncLink(world.workspaceId);
      expect((await world.state()).repo).toMatchObject({ state: "conflict", conflicts: ["apps/one/a.ts"] });
      expect(await hereOf(world)).toEqual({ "apps/one/a.ts": "workspace\n" });
      events.length = 0;
      const asked = await call("POST", `${world.at}/sync`, { cookie: world.owner.cookie, body: { prefer } });
      expect(asked.status).toBe(202);
      expect(await drain()).toBe(1);
      const both = { "apps/one/a.ts": `${prefer}\n`, "apps/one/c.ts": "c\n" };
      expect([await hereOf(world), await thereOf(world)]).toEqual([both, both]);
      expect((await world.state()).repo).toMatchObject({ state: "synced", conflicts: [], problem: null });
    });

  it("merges 500 commits of the host with more of the workspace than are sent one by one", {
    tags: ["long"],
  }, async () => {
    const world = await begin({ "apps/one/a.ts": "0\n" });
    await world.link();
    const lines: string[] = [];
    for (let n = 1; n <= 500; n++) {
      const text = `theirs ${n}\n`;
      lines.push(
        `commit refs/heads/main\ncommitter Hana <hana@example.com> ${1_700_000_000 + n} +0000\ndata 7\nTheirs\n`,
        n === 1 ? "from refs/heads/main^0\n" : "",
        `M 100644 inline apps/one/t${n % 50}.ts\ndata ${text.length}\n${text}\n`,
      );
    }
    await writeFile(join(folder.dir, "stream"), lines.join(""));
    const { execFileSync } = await import("node:child_process");
    execFileSync("sh", [
      "-c",
      `git -C "$1" fast-import --quiet < "$2"`,
      "sh",
      world.repository.dir,
      join(folder.dir, "stream"),
    ]);
    for (let n = 1; n <= 60; n++) await save(world, `Ours ${n}`, { [`apps/one/o${n % 50}.ts`]: `ours ${n}\n` });
    events.length = 0;
    await syncLink(world.workspaceId);
    expect(await thereOf(world)).toEqual(await hereOf(world));
    expect(Object.keys(await hereOf(world))).toHaveLength(101);
  });

  it("syncs files only, without links, submodules and filters (T88)", async () => {
    const world = await begin({ "apps/one/index.html": "1\n" });
    await mkdir(join(world.clone, "apps/one"), { recursive: true });
    await symlink("/etc/passwd", join(world.clone, "apps/one/passwd"));
    await symlink("/etc", join(world.clone, "apps/etc"));
    await git(world.clone, "update-index", "--add", "--cacheinfo", `160000,${"1".repeat(40)},apps/one/sub`);
    await writeFile(join(world.clone, "apps/one/.gitattributes"), "* filter=evil\n");
    await writeFile(join(world.clone, "apps/loose.ts"), "1\n");
    await git(world.clone, "add", "apps/one/passwd", "apps/etc", "apps/one/.gitattributes", "apps/loose.ts");
    await git(world.clone, ...ME, "commit", "--quiet", "--message", "Traps");
    await git(world.clone, "push", "--quiet", "origin", "HEAD:main");
    const { json } = await world.link();
    expect(json.data.repo.state).toBe("synced");
    expect(json.data.repo.skipped.map(({ path }: { path: string }) => path).sort()).toEqual([
      "apps/etc",
      "apps/loose.ts",
      "apps/one/.gitattributes",
      "apps/one/passwd",
      "apps/one/sub",
    ]);
    expect(await hereOf(world)).toEqual({ "apps/one/index.html": "1\n" });
    // A skipped file stays at the host.
    await save(world, "Ours", { "apps/one/index.html": "2\n" });
    await syncLink(world.workspaceId);
    expect(await gitLines(world.repository.dir, "ls-tree", "-r", "--name-only", "main", "apps/")).toEqual([
      "apps/etc",
      "apps/loose.ts",
      "apps/one/.gitattributes",
      "apps/one/index.html",
      "apps/one/passwd",
      "apps/one/sub",
    ]);
  });

  it("C21 syncs other files beside names invalid on Windows, and keeps such names in a workspace", {
    tags: ["long"],
  }, async () => {
    const bad = ["apps/one/aux.ts", "apps/one/a:b.md", "apps/one/nul/x.ts", "apps/con/index.html"];
    const world = await begin({
      "apps/one/index.html": "1\n",
      ...Object.fromEntries(bad.map((path) => [path, "1\n"])),
    });
    const { json } = await world.link();
    expect(json.data.repo.state).toBe("synced");
    expect(json.data.repo.skipped.map(({ path }: { path: string }) => path).sort()).toEqual([...bad].sort());
    expect(await hereOf(world)).toEqual({ "apps/one/index.html": "1\n" });
    // A file from before the rule syncs both ways, as does a new one in its folder.
    await save(world, "From before", { "apps/one/nul/y.ts": "1\n", "apps/one/prn.ts": "1\n" });
    await syncLink(world.workspaceId);
    await pushAtHost(world, "Change", {
      "apps/one/nul/y.ts": "2\n",
      "apps/one/prn.ts": "2\n",
      "apps/one/nul/z.ts": "1\n",
    });
    await syncLink(world.workspaceId);
    expect(await hereOf(world)).toEqual({
      "apps/one/index.html": "1\n",
      "apps/one/nul/x.ts": "1\n",
      "apps/one/nul/y.ts": "2\n",
      "apps/one/nul/z.ts": "1\n",
      "apps/one/prn.ts": "2\n",
    });
    expect(await gitLines(world.repository.dir, "ls-tree", "-r", "--name-only", "main", "apps/")).toEqual(
      [...bad, "apps/one/index.html", "apps/one/nul/y.ts", "apps/one/nul/z.ts", "apps/one/prn.ts"].sort(),
    );
  });

  it("recovers from an interrupted push without a second commit", { tags: ["long"] }, async () => {
    const world = await begin({ "apps/one/a.ts": "1\n" });
    await world.link();
    await save(world, "Ours", { "apps/one/a.ts": "2\n" });
    host.failing.receivePack = true;
    await expect(syncLink(world.workspaceId)).rejects.toMatchObject({ kind: "source_unreachable" });
    expect((await world.state()).repo.state).toBe("failing");
    const { workspaceId } = world;
    expect((await collections.repoLinks().findOne({ workspaceId }))?.work).toMatchObject({ failures: 1 });
    host.failing.receivePack = false;
    await syncLink(world.workspaceId);
    expect((await world.state()).repo).toMatchObject({ state: "synced", problem: null });
    expect(await gitLines(world.repository.dir, "rev-list", "--count", "main")).toEqual(["2"]);
  });

  it("is synced within 15 s after a dead server or a lost event", async () => {
    const world = await begin({ "apps/one/a.ts": "1\n" });
    await world.link();
    const { workspaceId } = world;
    await pushAtHost(world, "Theirs", { "apps/one/a.ts": "2\n" });
    await collections.repoLinks().updateOne({ workspaceId }, { $set: { work: lapsedWork(), syncAgain: "host" } });
    events.length = 0;
    await sweepLinks();
    expect(await drain()).toBe(1);
    expect(await hereOf(world)).toEqual({ "apps/one/a.ts": "2\n" });
    await drain();
    // The event is lost.
    await wakeSync(workspaceId, "lost");
    events.length = 0;
    await passTime(world, 13_000);
    await sweepLinks();
    expect(await drain()).toBe(1);
    expect((await collections.repoLinks().findOne({ workspaceId }))?.syncAgain).toBeUndefined();
  });

  it("is synced again by the same server for a request during a sync", async () => {
    const world = await begin({ "apps/one/a.ts": "1\n" });
    await world.link();
    const { workspaceId } = world;
    const held = await linkWork.claim({ workspaceId });
    await syncLink(workspaceId, { prefer: "host" });
    const link = await collections.repoLinks().findOne({ workspaceId });
    expect([link?.syncAgain, link?.work?.starts]).toEqual(["host", held?.doc.work?.starts]);
    await linkWork.release(held?.claim as Claim, 0);
    await syncLink(workspaceId);
    expect(await collections.repoLinks().findOne({ workspaceId })).not.toHaveProperty("syncAgain");
  });

  it("has each change once when synced by two servers", async () => {
    const world = await begin({ "apps/one/a.ts": "1\n" });
    await world.link();
    await save(world, "Ours", { "apps/one/b.ts": "2\n" });
    await pushAtHost(world, "Theirs", { "apps/one/c.ts": "3\n" });
    await Promise.allSettled([syncLink(world.workspaceId), syncLink(world.workspaceId)]);
    await syncLink(world.workspaceId);
    expect(await thereOf(world)).toEqual(await hereOf(world));
    expect(await gitLines(world.repository.dir, "log", "--format=%s", "main")).toEqual(["Ours", "Theirs", "Begin"]);
  });

  it("removes nothing here when it loses its apps, branch or access", { tags: ["long"] }, async () => {
    const world = await begin({ "apps/one/a.ts": "1\n", "README.md": "x\n" });
    await world.link();
    await pushAtHost(world, "All gone", { "apps/one/a.ts": null });
    await expect(syncLink(world.workspaceId)).rejects.toThrow("All apps were removed on the host");
    expect((await world.state()).repo).toMatchObject({
      state: "removed",
      problem: expect.stringContaining("removed on the host"),
    });
    await git(world.repository.dir, "update-ref", "-d", "refs/heads/main");
    await expect(syncLink(world.workspaceId)).rejects.toThrow("repository is empty");
    expect(await hereOf(world)).toEqual({ "apps/one/a.ts": "1\n" });
  });

  it("syncs a large file byte for byte", { tags: ["long"] }, async () => {
    const world = await begin({ "apps/one/a.ts": "1\n" });
    await world.link();
    const large = randomBytes(12 * 1024 * 1024)
      .toString("hex")
      .slice(0, 20 * 1024 * 1024);
    await save(world, "Large", { "apps/one/large.txt": large });
    await syncLink(world.workspaceId);
    const [there] = await gitLines(world.repository.dir, "rev-parse", "main:apps/one/large.txt");
    const items = await listTree({ repositoryId: world.workspaceId, path: "apps/one" });
    expect(items.find(({ name }) => name === "large.txt")?.oid).toBe(there);
  });
});

describe("webhooks of the host", () => {
  const send = (body: string, headers: Record<string, string>) =>
    call("POST", "/api/repohost/webhook", {
      rawBody: body,
      headers: { "content-type": "application/json", ...headers },
    });
  const sign = (body: string) =>
    `sha256=${createHmac("sha256", host.settings.GITHUB_WEBHOOK_SECRET ?? "")
      .update(body)
      .digest("hex")}`;
  const pushOf = ({ repository }: Linked) =>
    JSON.stringify({ ref: "refs/heads/main", n: nextNumber(), repository: { id: repository.number } });

  it("start one sync each, only with a valid signature", async () => {
    const world = await begin({ "apps/one/a.ts": "1\n" });
    await world.link();
    await pushAtHost(world, "Theirs", { "apps/one/a.ts": "2\n" });
    const body = pushOf(world);
    const headers = { "x-github-event": "push", "x-hub-signature-256": sign(body) };
    events.length = 0;
    const unsigned: Record<string, string>[] = [
      {},
      { "x-hub-signature-256": "" },
      { "x-hub-signature-256": sign(`${body} `) },
      { "x-hub-signature-256": sign(body).slice(0, -1) },
      { "x-hub-signature": sign(body) },
    ];
    for (const wrong of unsigned) {
      expect((await send(body, { "x-github-event": "push", ...wrong })).status).toBe(401);
    }
    expect(await drain()).toBe(0);
    expect((await send(body, headers)).json.data).toEqual({ taken: true });
    expect((await send(body, headers)).json.data).toEqual({ taken: false });
    expect(await drain()).toBe(1);
    expect(await hereOf(world)).toEqual({ "apps/one/a.ts": "2\n" });
    // The import has landed on main. This triggers another sync, which finds both sides equal.
    expect(await drain()).toBe(1);
    expect((await send(body, { ...headers, "x-github-event": "star" })).json.data).toEqual({ taken: false });
    const unknown = JSON.stringify({ repository: { id: 1 } });
    expect((await send(unknown, { "x-github-event": "push", "x-hub-signature-256": sign(unknown) })).status).toBe(200);
    expect(await drain()).toBe(0);
  });

  it("that are lost are covered by periodic syncs", { tags: ["long"] }, async () => {
    const world = await begin({ "apps/one/a.ts": "1\n" });
    await world.link();
    await pushAtHost(world, "Theirs", { "apps/one/a.ts": "2\n" });
    events.length = 0;
    await sweepLinks();
    expect(await drain()).toBe(0);
    await passTime(world, 11 * 60 * 1000);
    await sweepLinks();
    expect(await drain()).toBe(1);
    expect(await hereOf(world)).toEqual({ "apps/one/a.ts": "2\n" });
  });
});
