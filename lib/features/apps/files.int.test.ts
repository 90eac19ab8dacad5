import { randomBytes } from "node:crypto";
import { ObjectId } from "mongodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { collections } from "@/lib/features/instance/collections";
import { commitChanges, findBranch, readFile } from "@/lib/features/repository/service";
import { call, callRaw } from "@/test/client";
import { takeOwnDatabase } from "@/test/database";
import { type AppAuthor, authorOf } from "@/test/fixtures/apps/app-author";
import { type Person, seedMember, seedPerson } from "@/test/seed";
import { DRAFT_FILES_MAX } from "./limits";
import type { App } from "./schema";

const own = takeOwnDatabase();
let [ana, ben] = [] as unknown as [Person, Person];
let [anas, bens] = [] as unknown as [AppAuthor, AppAuthor];
let workspace: ObjectId;
beforeAll(async () => {
  ana = await seedPerson("Ana");
  ben = await seedMember(ana.workspaceId, "member");
  anas = authorOf(ana, ana.workspaceId);
  bens = authorOf(ben, ana.workspaceId);
  workspace = new ObjectId(ana.workspaceId);
});
afterAll(own.drop);

/** Output of `printf "ü\\n" | git hash-object --stdin`. */
const OID_OF_TEXT = "be761e039de7c85a579bc09515401c5ee742c8de";
const MIB = 1024 * 1024;
const shared = (author = anas): Promise<App> =>
  author.make(`App ${randomBytes(4).toString("hex")}`, { access: "workspace" });
const url = (app: App, query: Record<string, string> = {}) =>
  `/api/workspaces/${ana.workspaceId}/apps/${app.id}/files?${new URLSearchParams(query)}`;
const contentOf = async (author: AppAuthor, app: App, path: string) =>
  (await author.read(app, path)).json.data?.content;
const draftOf = (app: App) => collections.appWorkbenches().findOne({ appId: new ObjectId(app.id) });

/** Pushes a commit to main. */
async function push(app: App, path: string, content: string, branch = "main"): Promise<string> {
  const { sha } = await commitChanges({
    repositoryId: workspace,
    branch,
    author: { name: "Ben", email: "ben@example.com" },
    message: "Push",
    changes: [{ kind: "put", path: `apps/${app.slug}/${path}`, content }],
  });
  return sha;
}

describe("a commit of an app", () => {
  it("is readable with its tree by those whose branch or main has it", async () => {
    const app = await shared();
    await anas.write(app, "note.md", "first");
    const { sha } = (await anas.commit(app)).json.data;
    await anas.write(app, "note.md", "second");
    const at = (author: AppAuthor, query: Record<string, string>) =>
      author.send("GET", `/${app.id}/files?${new URLSearchParams(query)}`);
    expect((await at(anas, { path: "note.md", sha })).json.data).toMatchObject({ content: "first", draft: null });
    expect((await at(anas, { path: "note.md" })).json.data).toMatchObject({ content: "second", draft: "modified" });
    const tree = (await at(anas, { sha })).json.data as { path: string; draft: string | null }[];
    expect(tree.find(({ path }) => path === "note.md")).toMatchObject({ bytes: 5, draft: null });
    const landed = await push(app, "landed.md", "on main");
    for (const author of [anas, bens]) {
      expect((await at(author, { path: "landed.md", sha: landed })).json.data.content).toBe("on main");
    }
    const raw = await callRaw("GET", url(app, { path: "note.md", sha, as: "raw" }), { cookie: ana.cookie });
    expect(await raw.text()).toBe("first");
    // Ana has not published, and her branch is private.
    expect((await at(bens, { path: "note.md", sha })).status).toBe(404);
    expect((await at(anas, { path: "nothing.md", sha })).status).toBe(404);
    expect((await at(anas, { sha: "0".repeat(40) })).status).toBe(404);
    expect((await at(anas, { sha: "main" })).status).toBe(400);
  });
});

describe("a file of an app", () => {
  it("is written and read as JSON, base64 and bytes, by its author only until committed", async () => {
    const app = await shared();
    const bytes = Buffer.from([0, 255, 1, 254]);
    const text = await anas.send("PUT", `/${app.id}/files?path=src/a.ts`, { content: "ü\n" });
    expect([text.status, text.json.data]).toEqual([
      200,
      { path: "src/a.ts", oid: OID_OF_TEXT, bytes: 3, draft: "added" },
    ]);
    const body = { content: bytes.toString("base64"), encoding: "base64" };
    expect((await anas.send("PUT", `/${app.id}/files?path=b.bin`, body)).json.data.bytes).toBe(4);
    expect((await anas.write(app, "c.bin", bytes)).json.data.oid).toBe(
      (await anas.tree(app)).find(({ path }) => path === "b.bin")?.oid,
    );
    expect((await anas.read(app, "src/a.ts")).json.data).toMatchObject({ content: "ü\n", encoding: "utf8" });
    expect((await anas.read(app, "c.bin")).json.data).toMatchObject({ content: body.content, encoding: "base64" });
    const raw = await callRaw("GET", url(app, { path: "c.bin", as: "raw" }), { cookie: ana.cookie });
    expect(Buffer.from(await raw.arrayBuffer()).equals(bytes)).toBe(true);
    expect(raw.headers.get("content-type")).toBe("application/octet-stream");
    expect(raw.headers.get("content-disposition")).toBe("attachment");
    expect((await bens.read(app, "src/a.ts")).status).toBe(404);
  });

  it.each([
    "../other/a",
    "a/../../b",
    "/etc/passwd",
    "a//b",
    "a/",
    ".",
    ".git/config",
    "a/.GIT/hooks/x",
    "git~1/x",
    ".gitattributes",
    ".gitmodules",
    "a\\b",
    "a\u0000b",
    "a\nb",
    "a\u202eb",
    "trailing.",
    " space",
    "x".repeat(201),
  ])("is rejected at the path %j (T87, T88)", async (path) => {
    const app = await shared();
    for (const answer of [await anas.write(app, path, "x"), await anas.read(app, path), await anas.remove(app, path)]) {
      expect([answer.status, answer.json.code]).toEqual([400, "invalid_request"]);
    }
  });

  it("is rejected if its name differs by case only, or a folder or file exists", async () => {
    const app = await shared();
    await anas.write(app, "src/Page.ts", "x");
    for (const path of ["src/page.ts", "SRC/other.ts", "src", "src/Page.ts/x", "INDEX.html"]) {
      const answer = await anas.write(app, path, "x");
      expect([path, answer.status, answer.json.code]).toEqual([path, 409, "conflict"]);
    }
    expect((await anas.write(app, "src/other.ts", "x")).status).toBe(200);
  });

  it.each([
    "aux.ts",
    "src/CON",
    "a:b.ts",
    "nul/x.ts",
    "COM1.d/y.ts",
    "what?.md",
    "<a>.html",
    "bindings/prn.sql",
    "LPT9.txt",
  ])("C21 is rejected when new if Git on Windows rejects it: %s", async (path) => {
    const app = await shared();
    const answer = await anas.write(app, path, "x");
    expect([answer.status, answer.json.code]).toEqual([400, "invalid_request"]);
    expect(answer.json.error).toMatch(/Windows reserves|must not contain/);
    expect(await draftOf(app)).toBeNull();
  });

  it("C21 is saved if it existed before the rule, and so are files in its folder", async () => {
    const app = await shared();
    await push(app, "nul/aux.ts", "1\n");
    for (const path of ["nul/aux.ts", "nul/plain.ts"]) {
      expect([path, (await anas.write(app, path, "2\n")).status]).toEqual([path, 200]);
    }
    expect((await anas.write(app, "nul/con.ts", "x")).status).toBe(400);
    expect((await anas.write(app, "other/aux.ts", "x")).status).toBe(400);
    expect((await anas.commit(app)).status).toBe(200);
    expect(await contentOf(anas, app, "nul/aux.ts")).toBe("2\n");
    expect((await anas.remove(app, "nul/aux.ts")).status).toBe(200);
  });

  it("C21 is in a folder valid on Windows, with any app title", async () => {
    for (const title of ["Con", "aux", "NUL", "Com1", "lpt-9", "prn!"]) {
      const { slug } = await anas.make(title);
      expect(slug).toMatch(/^app-(?:con|aux|nul|com1|prn)|^lpt-9/);
    }
  });

  it("is rejected in a format that it does not have", async () => {
    const app = await shared();
    const put = (body: unknown) => anas.send("PUT", `/${app.id}/files?path=a`, body);
    for (const body of [
      {},
      { content: 1 },
      { content: "a", encoding: "hex" },
      { content: "%", encoding: "base64" },
      { content: "\ud800" },
    ]) {
      expect((await put(body)).status).toBe(400);
    }
    expect((await anas.send("PUT", `/${app.id}/files`, { content: "" })).status).toBe(400);
    expect(await draftOf(app)).toBeNull();
  });

  it("has at most 25 MiB, and 1 MiB as JSON", { tags: ["long"] }, async () => {
    const app = await shared();
    const large = Buffer.alloc(25 * MIB, 7);
    expect((await anas.write(app, "large.bin", large)).status).toBe(200);
    expect((await anas.write(app, "larger.bin", Buffer.alloc(25 * MIB + 1))).status).toBe(413);
    expect((await anas.read(app, "large.bin")).json.code).toBe("too_large");
    const raw = await callRaw("GET", url(app, { path: "large.bin", as: "raw" }), { cookie: ana.cookie });
    expect(Buffer.from(await raw.arrayBuffer()).equals(large)).toBe(true);
    expect((await anas.send("PUT", `/${app.id}/files?path=a`, { content: "x".repeat(MIB) })).status).toBe(413);
    // A draft holds two and a half of them.
    expect((await anas.write(app, "second.bin", Buffer.alloc(25 * MIB, 8))).status).toBe(200);
    const third = await anas.write(app, "third.bin", Buffer.alloc(25 * MIB, 9));
    expect([third.status, third.json.code]).toEqual([413, "too_large"]);
    expect((await anas.tree(app)).map(({ path }) => path)).not.toContain("third.bin");
    expect((await anas.commit(app)).status).toBe(200);
    expect((await anas.write(app, "third.bin", Buffer.alloc(25 * MIB, 9))).status).toBe(200);
    expect(await collections.appDraftParts().countDocuments({ workbenchId: (await draftOf(app))?._id })).toBe(4);
  });

  it("is one of at most a thousand uncommitted ones", async () => {
    const app = await shared();
    await anas.write(app, "f", "x");
    const bench = await draftOf(app);
    const [one] = bench?.drafts ?? [];
    const drafts = Array.from({ length: DRAFT_FILES_MAX }, (_, n) => ({ ...one, path: `f${n}` }));
    await collections.appWorkbenches().updateOne({ _id: bench?._id }, { $set: { drafts: drafts as never } });
    expect((await anas.write(app, "more", "x")).json.code).toBe("too_large");
    expect((await anas.remove(app, "index.html")).json.code).toBe("too_large");
    expect((await anas.write(app, "f0", "other")).status).toBe(200);
  });

  it("is saved by one of two tabs with the same version, and by both without one", async () => {
    const app = await shared();
    const { oid } = (await anas.read(app, "index.html")).json.data;
    const answers = await Promise.all(["one", "two"].map((text) => anas.write(app, "index.html", text, oid)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    const current = (await anas.read(app, "index.html")).json.data;
    expect(answers.find(({ status }) => status === 409)?.json.details).toEqual({ oid: current.oid });
    expect((await anas.remove(app, "index.html", oid)).status).toBe(409);
    // A save that is repeated, since its response was lost, conflicts with nothing.
    const { content } = (await anas.read(app, "index.html")).json.data;
    expect((await anas.write(app, "index.html", content, oid)).status).toBe(200);
    expect((await anas.write(app, "index.html", "new", "none")).status).toBe(409);
    expect((await anas.write(app, "new.html", "new", "none")).status).toBe(200);
    // Twenty at once, each a separate file: none is lost.
    const names = Array.from({ length: 20 }, (_, n) => `n${n}.txt`);
    const all = await Promise.all(names.map((name) => anas.write(app, name, name)));
    expect(new Set(all.map(({ status }) => status))).toEqual(new Set([200]));
    expect((await anas.tree(app)).map(({ path }) => path)).toEqual(expect.arrayContaining(names));
    // Ten concurrent saves of one file leave one content.
    await Promise.all(Array.from({ length: 10 }, (_, n) => anas.write(app, "same.txt", `${n}`)));
    const bench = await draftOf(app);
    expect(await collections.appDraftParts().countDocuments({ workbenchId: bench?._id })).toBe(bench?.drafts.length);
  });

  it("is read completely while it is saved and deleted repeatedly", { tags: ["long"] }, async () => {
    const app = await shared();
    let isOver = false;
    const change = async () => {
      for (let turn = 0; turn < 40; turn++) {
        await anas.write(app, "note.md", `turn ${turn}`);
        if (turn % 4 === 3) await anas.send("DELETE", `/${app.id}/files?path=note.md`);
      }
      isOver = true;
    };
    const look = async () => {
      const seen = new Set<number>();
      while (!isOver) {
        const { status, json } = await anas.read(app, "note.md");
        seen.add(status);
        if (status === 200) expect(json.data.content).toMatch(/^turn \d+$/);
      }
      return seen;
    };
    const [, ...seen] = await Promise.all([change(), look(), look(), look()]);
    for (const statuses of seen) expect([200, 404]).toEqual(expect.arrayContaining([...statuses]));
  });

  it("is no longer a draft once equal to the commit", async () => {
    const app = await shared();
    const before = (await anas.read(app, "style.css")).json.data;
    await anas.write(app, "style.css", "other");
    expect((await anas.tree(app)).find(({ path }) => path === "style.css")?.draft).toBe("modified");
    await anas.write(app, "style.css", before.content);
    expect((await anas.read(app, "style.css")).json.data).toEqual(before);
    expect((await anas.status(app)).drafts).toEqual([]);
    expect(await collections.appDraftParts().countDocuments({ workbenchId: (await draftOf(app))?._id })).toBe(0);
  });

  it("is removed from its author's draft once deleted", async () => {
    const app = await shared();
    expect((await anas.remove(app, "style.css")).status).toBe(200);
    expect((await anas.remove(app, "style.css")).status).toBe(404);
    expect((await anas.read(app, "style.css")).status).toBe(404);
    expect((await bens.read(app, "style.css")).status).toBe(200);
    expect((await anas.remove(app, "never.css")).status).toBe(404);
    await anas.write(app, "new.css", "x");
    await anas.remove(app, "new.css");
    expect((await anas.status(app)).drafts).toEqual([{ path: "style.css", status: "deleted" }]);
  });
});

describe("a commit", () => {
  it("moves the draft to the author's branch, and main is unchanged", async () => {
    const app = await shared();
    const main = await findBranch(workspace, "main");
    await anas.write(app, "a.ts", "1");
    await anas.write(app, "index.html", "new");
    await anas.remove(app, "style.css");
    const answer = await anas.commit(app, "First page");
    expect([answer.status, answer.json.data]).toEqual([
      200,
      { sha: await findBranch(workspace, `user/${ana.id}`), branch: `user/${ana.id}` },
    ]);
    expect(await findBranch(workspace, "main")).toBe(main);
    expect(await anas.status(app)).toEqual({
      branch: `user/${ana.id}`,
      baseSha: main,
      headSha: answer.json.data.sha,
      ahead: 1,
      behind: 0,
      changes: [
        { path: "a.ts", status: "added" },
        { path: "index.html", status: "modified" },
        { path: "style.css", status: "deleted" },
      ],
      offline: true,
      drafts: [],
    });
    expect(await bens.status(app)).toMatchObject({ branch: `user/${ben.id}`, headSha: main, ahead: 0, changes: [] });
    const file = { repositoryId: workspace, path: `apps/${app.slug}/a.ts` };
    expect((await readFile({ ...file, ref: `user/${ana.id}` })).content.toString()).toBe("1");
    const history = (await anas.send("GET", `/${app.id}/history`)).json.data;
    expect(history.items.map(({ subject }: { subject: string }) => subject)).toEqual([
      "First page",
      `Add the app ${app.title}`,
    ]);
    const [first] = (await anas.send("GET", `/${app.id}/history?limit=1`)).json.data.items;
    expect(first).toEqual({
      sha: answer.json.data.sha,
      author: { name: "Ana", email: ana.email },
      date: expect.any(String),
      subject: "First page",
    });
  });

  it("is rejected without changes, and created once by two requests", async () => {
    const app = await shared();
    expect((await anas.commit(app)).json.code).toBe("conflict");
    await anas.write(app, "a.ts", "1");
    const answers = await Promise.all([anas.commit(app, "Save"), anas.commit(app, "Save")]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect((await anas.status(app)).ahead).toBe(1);
    expect((await anas.send("POST", `/${app.id}/commit`, { message: " " })).status).toBe(400);
  });

  it("loses nothing that is saved during it", async () => {
    const app = await shared();
    const texts = Array.from({ length: 12 }, (_, n) => `${n}`);
    await anas.write(app, "a.ts", "begin");
    await Promise.all([
      ...texts.map((text) => anas.write(app, `${text}.ts`, text)),
      ...texts.slice(0, 4).map(() => anas.commit(app)),
    ]);
    await anas.commit(app);
    const tree = await anas.tree(app);
    expect(tree.map(({ path }) => path)).toEqual(expect.arrayContaining(texts.map((text) => `${text}.ts`)));
    expect(tree.filter(({ draft }) => draft !== null)).toEqual([]);
  });

  it("builds on the current main for an author without own commits", async () => {
    const [app, other] = [await shared(), await shared()];
    await anas.write(other, "a.ts", "1");
    await anas.commit(other);
    const sha = await push(app, "theirs.ts", "theirs");
    expect(await contentOf(anas, app, "theirs.ts")).toBe("theirs");
    expect(await anas.status(app)).toMatchObject({ headSha: sha, behind: 0, changes: [] });
    await anas.write(app, "mine.ts", "mine");
    await anas.commit(app);
    expect(await anas.status(app)).toMatchObject({
      ahead: 1,
      behind: 0,
      changes: [{ path: "mine.ts", status: "added" }],
    });
    await push(app, "later.ts", "later");
    expect(await anas.status(app)).toMatchObject({
      ahead: 1,
      behind: 1,
      changes: [{ path: "mine.ts", status: "added" }],
    });
    expect(await anas.status(other)).toMatchObject({ ahead: 1, behind: 0 });
  });

  it("is rejected if a push changed the file under the draft, which can be discarded", async () => {
    const app = await shared();
    await anas.write(app, "a.ts", "1");
    await anas.commit(app);
    await anas.write(app, "a.ts", "draft");
    await anas.write(app, "b.ts", "draft");
    await push(app, "a.ts", "pushed", `user/${ana.id}`);
    const answer = await anas.commit(app);
    expect([answer.status, answer.json.details]).toEqual([409, { paths: ["a.ts"] }]);
    expect(await contentOf(anas, app, "a.ts")).toBe("draft");
    expect((await anas.send("POST", `/${app.id}/discard?path=a.ts`)).status).toBe(200);
    expect(await contentOf(anas, app, "a.ts")).toBe("pushed");
    expect((await anas.commit(app)).status).toBe(200);
  });

  it("is not blocked by work in a deleted app", async () => {
    const [gone, app] = [await shared(), await shared()];
    await bens.write(gone, "index.html", "mine");
    await bens.commit(gone);
    await anas.send("DELETE", `/${gone.id}`);
    await push(app, "a.ts", "1");
    expect((await bens.write(app, "b.ts", "2")).status).toBe(200);
    expect((await bens.commit(app)).status).toBe(200);
    expect((await bens.tree(app)).map(({ path }) => path)).toEqual(["a.ts", "b.ts", "index.html", "style.css"]);
  });
});

describe("a draft", () => {
  it("is discarded whole with its contents, repeatably", async () => {
    const app = await shared();
    await anas.write(app, "a.ts", "1");
    await anas.remove(app, "style.css");
    for (let times = 0; times < 2; times++) {
      expect((await anas.send("POST", `/${app.id}/discard`)).status).toBe(200);
      expect((await anas.tree(app)).map(({ path }) => path)).toEqual(["index.html", "style.css"]);
    }
    const bench = await draftOf(app);
    expect(await collections.appDraftParts().countDocuments({ workbenchId: bench?._id })).toBe(0);
  });

  it("does not count in the status, which is of the last commit, for any live value", async () => {
    const app = await shared();
    await anas.write(app, "a.ts", "1");
    const whole = await anas.status(app);
    expect(whole).toMatchObject({ changes: [], ahead: 0, offline: true, drafts: [{ path: "a.ts", status: "added" }] });
    for (const live of ["true", "false", "maybe", ""]) {
      expect((await anas.send("GET", `/${app.id}/status?live=${live}`)).json.data).toEqual(whole);
    }
  });

  it("is reported to its author's other tabs only", async () => {
    const app = await shared();
    await anas.write(app, "a.ts", "1");
    const { writeNow } = await import("@/lib/platform/events/publish");
    await writeNow();
    const events = await collections
      .events()
      .find({ "data.resourceId": app.id, "data.resourceType": "app_work" })
      .toArray();
    expect(events.map(({ userId }) => userId?.toHexString())).toEqual([ana.id]);
  });

  it("rejects an invalid history cursor before looking up the app", async () => {
    const answer = await call("GET", `/api/workspaces/${ana.workspaceId}/apps/${"f".repeat(24)}/history?cursor=bad`, {
      cookie: ana.cookie,
    });
    expect(answer.status).toBe(400);
  });
});
