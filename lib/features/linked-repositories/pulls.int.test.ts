import { createHmac } from "node:crypto";
import { ObjectId } from "mongodb";
import { afterAll, describe, expect, it } from "vitest";
import { createReview, findBranchHead, findHead } from "@/lib/features/repository/service";
import { closeServerMember } from "@/lib/platform/process/server-context";
import { call } from "@/test/client";
import { takeOwnDataDir } from "@/test/fixtures/connections/drivers/duckdb/open-file";
import { git, gitLines } from "@/test/fixtures/repository/git-command";
import {
  begin,
  drain,
  events,
  host,
  type Linked,
  pushAtHost,
  save,
  takeHost,
  thereOf,
  writeAtHost,
} from "@/test/fixtures/repository/hosts/linked-workspace";
import type { HostPull } from "@/test/fixtures/repository/hosts/stand-in";
import { seedKey, seedMember } from "@/test/seed";
import { collections } from "./collections";
import { syncLink } from "./sync";

const dataDir = takeOwnDataDir();
takeHost();
afterAll(async () => {
  await closeServerMember("dataSources");
  dataDir.remove();
});

const onConnection = (query: string) => `/* ---\nconnection: own\n--- */\n${query}\n`;
const values = (rows: string) => onConnection(`select * from (values ${rows}) as t(id, n)`);

/** Links a repository with one console on a connection. */
async function linked(files: Record<string, string> = {}): Promise<Linked> {
  const world = await begin({ "consoles/a.sql": "select 1\n", "README.md": "# Ours\n" });
  const body = { name: "own", type: "duckdb", config: { file: `own-${world.name}.duckdb` }, readOnly: false };
  const at = `/api/workspaces/${world.owner.workspaceId}`;
  expect((await call("POST", `${at}/connectors`, { ...world.owner, body })).status).toBe(201);
  await pushAtHost(world, "Begin", { "consoles/a.sql": values("(1, 10), (2, 20)"), ...files });
  expect((await world.link()).json.data.repo).toMatchObject({ state: "synced", pullsProblem: null });
  return world;
}

/** Opens a pull request with a commit of these files on the linked branch, or gives one another commit. */
async function propose(
  world: Linked,
  files: Record<string, string | null>,
  { pull, ...more }: Partial<HostPull> & { pull?: HostPull } = {},
): Promise<HostPull> {
  const { clone, repository } = world;
  await git(clone, "fetch", "--quiet", "origin");
  await git(clone, "checkout", "--quiet", "--detach", pull?.head ?? "origin/main");
  await writeAtHost(world, "Propose", files);
  const [head = ""] = await gitLines(clone, "rev-parse", "HEAD");
  const found: HostPull = pull ?? {
    ...{ number: repository.pulls.length + 1, title: "Better numbers", login: "olga-at-host" },
    ...{ base: "main", head, isOpen: true, isFork: false, comments: [], ...more },
  };
  found.head = head;
  await git(clone, "push", "--quiet", "--force", "origin", `HEAD:refs/pull/${found.number}/head`);
  await git(clone, "checkout", "--quiet", "-B", "main", "origin/main");
  if (!pull) repository.pulls.push(found);
  return found;
}

const reviewOf = async ({ owner }: Linked, number: number) =>
  (await call("GET", `/api/workspaces/${owner.workspaceId}/reviews/pr-${number}`, { ...owner })).json;
const statusesOf = ({ repository }: Linked, { head }: HostPull) =>
  repository.statuses.filter(({ sha }) => sha === head);

describe("a pull request of a linked repository", () => {
  it("becomes a review, and gets one status and one comment, also when two servers sync", async () => {
    const world = await linked();
    const pull = await propose(world, {
      "consoles/a.sql": values("(1, 10), (2, 21)"),
      "consoles/b@acme.sql": "select 2\n",
      "src/main.c": "int main;\n",
    });
    await Promise.allSettled([syncLink(world.workspaceId), syncLink(world.workspaceId)]);
    await syncLink(world.workspaceId);
    const url = expect.stringMatching(/\/reviews\/pr-1$/);
    expect(statusesOf(world, pull)).toEqual([
      { sha: pull.head, state: "success", context: "Millrace", description: "2 consoles change", target_url: url },
    ]);
    expect(pull.comments).toHaveLength(1);
    const [comment] = pull.comments;
    expect(comment?.body).toContain("| <code>consoles/a.sql</code> | modified | not compared |");
    expect(comment?.body).toContain("<code>consoles/b&#64;acme.sql</code> | added");
    const { data } = await reviewOf(world, 1);
    expect(data).toMatchObject({
      ...{ subject: "Better numbers", ahead: 1, files: 2, mayMerge: false, mayDelete: false },
      pullRequest: { number: 1, url: expect.stringMatching(/\/acme\/work-\d+\/pull\/1$/) },
      changes: [{ path: "consoles/a.sql" }, { path: "consoles/b@acme.sql" }],
    });
    // It is merged and closed at the host alone.
    const at = `/api/workspaces/${world.owner.workspaceId}/reviews/pr-1`;
    expect((await call("POST", `${at}/merge`, { ...world.owner, body: { sha: data.sha } })).status).toBe(409);
    expect((await call("DELETE", at, { ...world.owner })).status).toBe(409);
  });

  it("is checked again with another head, in the same comment, and loses its review when it closes", {
    tags: ["long"],
  }, async () => {
    const world = await linked();
    const pull = await propose(world, { "consoles/a.sql": values("(1, 11)") });
    await syncLink(world.workspaceId);
    const first = (await reviewOf(world, 1)).data.sha;
    await propose(world, { "consoles/new.sql": "/* ---\ncolour: red\n--- */\nselect 1\n" }, { pull });
    await syncLink(world.workspaceId);
    expect(statusesOf(world, pull)).toMatchObject([
      { state: "failure", description: expect.stringMatching(/^consoles\/new\.sql is not a valid console \(line 2\)/) },
    ]);
    expect(pull.comments.map(({ body }) => body)).toEqual([expect.stringContaining("this change is rejected")]);
    expect((await reviewOf(world, 1)).code).toBe("not_found");
    await propose(world, { "consoles/new.sql": "select 1\n" }, { pull });
    await syncLink(world.workspaceId);
    expect(statusesOf(world, pull)).toMatchObject([{ state: "success", description: "2 consoles change" }]);
    expect(pull.comments).toHaveLength(1);
    expect((await reviewOf(world, 1)).data.sha).not.toBe(first);
    pull.isOpen = false;
    await syncLink(world.workspaceId);
    expect(await findBranchHead(world.workspaceId, "review/pr-1")).toBeNull();
    expect(await collections.repoPulls().countDocuments({ workspaceId: world.workspaceId })).toBe(0);
    expect(pull.comments).toHaveLength(1);
  });

  it("shows its changes on the linked branch of today", { tags: ["long"] }, async () => {
    const world = await linked({ "consoles/long.sql": "select 1,\n2,\n3,\n4,\n5\n" });
    await propose(world, { "consoles/long.sql": "select 1,\n2,\n3,\n4,\n6\n" });
    await pushAtHost(world, "Other line", { "consoles/long.sql": "select 0,\n2,\n3,\n4,\n5\n", "docs/a.md": "# A\n" });
    await syncLink(world.workspaceId);
    const { data } = await reviewOf(world, 1);
    expect(data.changes).toMatchObject([{ path: "consoles/long.sql", after: "select 0,\n2,\n3,\n4,\n6\n" }]);
  });

  it("runs no query, and publishes numbers of rows only for a member who asks for it", async () => {
    const world = await linked();
    const pull = await propose(world, { "consoles/a.sql": values("(2, 21), (3, 30)") });
    await syncLink(world.workspaceId);
    const compare = async (body: object, who: object = world.owner) => {
      const at = `/api/workspaces/${world.owner.workspaceId}/reviews/pr-1/compare`;
      const answer = await call("POST", at, { ...who, body: { path: "consoles/a.sql", ...body } });
      await drain();
      return answer;
    };
    events.length = 0;
    expect((await compare({})).status).toBe(200);
    expect(pull.comments[0]?.body).toContain("not compared");
    const readKey = { key: await seedKey(world.owner.workspaceId, world.owner, "read") };
    expect((await compare({ publish: true }, readKey)).status).toBe(403);
    const member = await seedMember(world.owner.workspaceId, "member");
    const answer = await compare({ publish: true }, member);
    expect(answer.status, answer.text).toBe(200);
    expect(pull.comments).toHaveLength(1);
    expect(pull.comments[0]?.body).toContain("| <code>consoles/a.sql</code> | modified | 1 | 1 | 1 |");
    expect(pull.comments[0]?.body).not.toMatch(/\b(?:21|30)\b/);
    // An error of a database may contain values.
    await propose(world, { "consoles/a.sql": onConnection("select error('secret of a row')") }, { pull });
    await syncLink(world.workspaceId);
    expect(pull.comments[0]?.body).toContain("not compared");
    expect((await compare({ publish: true }, member)).json.data.parts[0].after.error).toContain("secret");
    expect(pull.comments[0]?.body).toContain("| failed |");
    expect(pull.comments[0]?.body).not.toContain("secret");
  });

  it("of a fork is checked only if its author may write to the repository", async () => {
    const world = await linked();
    // Equal files of one second would be one commit.
    const [one, two] = ["(1, 11)", "(1, 12)"].map((rows) => ({ "consoles/a.sql": values(rows) }));
    const theirs = await propose(world, one ?? {}, { isFork: true, login: "stranger" });
    const ours = await propose(world, two ?? {}, { isFork: true });
    await syncLink(world.workspaceId);
    expect(statusesOf(world, theirs)).toMatchObject([
      { state: "pending", description: "Only pull requests of people with write access are checked." },
    ]);
    expect(theirs.comments).toEqual([]);
    expect((await reviewOf(world, 1)).code).toBe("not_found");
    expect(statusesOf(world, ours).at(-1)).toMatchObject({ state: "success", description: "1 console changes" });
    expect((await reviewOf(world, 2)).data.files).toBe(1);
  });

  it("keeps one comment that people edit, and gets none again that they delete", { tags: ["long"] }, async () => {
    const world = await linked();
    const pull = await propose(world, { "consoles/a.sql": values("(1, 11)") });
    pull.comments.push({ id: 1, body: "<!-- millrace -->\nNot the app's", login: "hana", appId: null });
    await syncLink(world.workspaceId);
    const [, ownComment] = pull.comments;
    if (!ownComment) throw new Error("No comment.");
    ownComment.body = "Edited";
    await propose(world, { "consoles/b.sql": "select 2\n" }, { pull });
    await syncLink(world.workspaceId);
    expect(pull.comments).toHaveLength(2);
    expect(ownComment.body).toContain("2 consoles change");
    // Its id is lost, as after a crash.
    await collections.repoPulls().updateOne({ workspaceId: world.workspaceId }, { $set: { commentId: null } });
    await propose(world, { "consoles/c.sql": "select 3\n" }, { pull });
    await syncLink(world.workspaceId);
    expect([pull.comments.length, ownComment.body.includes("3 consoles change")]).toEqual([2, true]);
    pull.comments.splice(1, 1);
    await propose(world, { "consoles/d.sql": "select 4\n" }, { pull });
    await syncLink(world.workspaceId);
    await syncLink(world.workspaceId);
    expect(pull.comments).toHaveLength(1);
    expect(statusesOf(world, pull)).toMatchObject([{ description: "4 consoles change" }]);
  });

  it("leaves a member's branch of the same name alone, and reviews disappear with the link", {
    tags: ["long"],
  }, async () => {
    const world = await linked();
    const sha = (await findHead(world.workspaceId, "main")) ?? "";
    await createReview(world.workspaceId, { name: "review/pr-1", sha, createdBy: new ObjectId(world.owner.id) });
    const first = await propose(world, { "consoles/a.sql": values("(1, 11)") });
    await propose(world, { "consoles/a.sql": values("(1, 12)") });
    await syncLink(world.workspaceId);
    expect((await findBranchHead(world.workspaceId, "review/pr-1"))?.oid).toBe(sha);
    expect(statusesOf(world, first)).toMatchObject([{ state: "success" }]);
    expect(await findBranchHead(world.workspaceId, "review/pr-2")).not.toBeNull();
    expect((await call("DELETE", world.at, { ...world.owner })).status).toBe(200);
    expect(await findBranchHead(world.workspaceId, "review/pr-2")).toBeNull();
    expect(await findBranchHead(world.workspaceId, "review/pr-1")).not.toBeNull();
  });

  it("waits for the host's rate limit without failing the sync, and is checked on the host's message", {
    tags: ["long"],
  }, async () => {
    const world = await linked();
    const { workspaceId, repository } = world;
    const pull = await propose(world, { "consoles/a.sql": values("(1, 11)") });
    host.refusal.response = { to: /\/statuses\//, status: 429, headers: { "retry-after": "900" } };
    await syncLink(workspaceId);
    expect((await world.state()).repo).toMatchObject({
      state: "synced",
      pullsProblem: expect.stringContaining("resumes in 15 min"),
    });
    const due = (await collections.repoLinks().findOne({ workspaceId }))?.work?.dueAt;
    expect((due?.getTime() ?? 0) - Date.now()).toBeGreaterThan(800_000);
    host.refusal.response = null;
    await collections.repoLinks().updateOne({ workspaceId }, { $unset: { pausedUntil: true } });
    const body = JSON.stringify({ action: "synchronize", number: 1, repository: { id: repository.number } });
    const signature = createHmac("sha256", host.settings.GITHUB_WEBHOOK_SECRET ?? "")
      .update(body)
      .digest("hex");
    const headers = {
      ...{ "content-type": "application/json", "x-github-event": "pull_request" },
      "x-hub-signature-256": `sha256=${signature}`,
    };
    events.length = 0;
    expect((await call("POST", "/api/repohost/webhook", { rawBody: body, headers })).json.data).toEqual({
      taken: true,
    });
    await drain();
    expect(statusesOf(world, pull)).toMatchObject([{ state: "success" }]);
    expect(pull.comments).toHaveLength(1);
    expect((await world.state()).repo.pullsProblem).toBeNull();
  });

  it.each([
    ["its list", /\/pulls$/],
    ["its status", /\/statuses\//],
    ["its comments", /\/comments/],
  ])(
    "stays as it was while the host is down for %s, and is checked when the host is back",
    { tags: ["long"] },
    async (_, to) => {
      const world = await linked();
      const { workspaceId, repository } = world;
      const first = await propose(world, { "consoles/a.sql": values("(1, 11)") });
      await syncLink(workspaceId);
      const before = [await findBranchHead(workspaceId, "review/pr-1"), statusesOf(world, first), first.comments];
      const second = await propose(world, { "consoles/a.sql": values("(1, 12)") });
      await save(world, "Ours", { "docs/ours.md": "# Ours\n" });
      host.refusal.response = { to, status: 503 };
      for (let times = 0; times < 2; times++) await syncLink(workspaceId);
      expect((await world.state()).repo).toMatchObject({ state: "synced", pullsProblem: expect.any(String) });
      expect(await thereOf(world, "docs/")).toEqual({ "docs/ours.md": "# Ours\n" });
      expect([await findBranchHead(workspaceId, "review/pr-1"), statusesOf(world, first), first.comments]).toEqual(
        before,
      );
      const due = (await collections.repoLinks().findOne({ workspaceId }))?.work?.dueAt;
      expect((due?.getTime() ?? 0) - Date.now()).toBeLessThanOrEqual(600_000);
      host.refusal.response = null;
      await syncLink(workspaceId);
      expect((await world.state()).repo).toMatchObject({ state: "synced", pullsProblem: null });
      expect(statusesOf(world, second)).toMatchObject([{ state: "success" }]);
      expect(repository.pulls.map(({ comments }) => comments.length)).toEqual([1, 1]);
      expect((await reviewOf(world, 2)).data.files).toBe(1);
    },
  );

  it("needs permissions that an older app lacks, without which files are still synced", {
    tags: ["long"],
  }, async () => {
    const world = await linked();
    host.granted.delete("statuses");
    const pull = await propose(world, { "consoles/a.sql": values("(1, 11)") });
    await pushAtHost(world, "Other", { "docs/a.md": "# A\n" });
    await syncLink(world.workspaceId);
    host.granted.add("statuses");
    expect((await world.state()).repo).toMatchObject({
      state: "synced",
      pullsProblem: expect.stringContaining("allow the GitHub App"),
    });
    expect(pull.comments).toEqual([]);
    await syncLink(world.workspaceId);
    expect((await world.state()).repo.pullsProblem).toBeNull();
    expect(pull.comments).toHaveLength(1);
  });
});
