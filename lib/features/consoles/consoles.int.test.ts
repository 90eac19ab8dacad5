import { randomBytes } from "node:crypto";
import { ObjectId } from "mongodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { collections } from "@/lib/features/instance/collections";
import { call } from "@/test/client";
import { takeOwnDatabase } from "@/test/database";
import { authorOf, type ConsoleAuthor } from "@/test/fixtures/consoles/console-author";
import { git, withExport } from "@/test/fixtures/repository/git-command";
import { type Person, seedKey, seedMember, seedPerson } from "@/test/seed";

const own = takeOwnDatabase();
let ana: Person;
let ben: Person;
let stranger: Person;
let [anas, bens, strangers] = [] as unknown as [ConsoleAuthor, ConsoleAuthor, ConsoleAuthor];
beforeAll(async () => {
  ana = await seedPerson("Ana");
  ben = await seedMember(ana.workspaceId, "member");
  stranger = await seedPerson("Stranger");
  anas = authorOf(ana, ana.workspaceId);
  bens = authorOf(ben, ana.workspaceId);
  strangers = authorOf(stranger, stranger.workspaceId);
});
afterAll(own.drop);

const free = (stem = "c") => `${stem}-${randomBytes(5).toString("hex")}`;
const ABSENT = "f".repeat(24);

describe("a console", () => {
  it("is stored as sent, private, in one commit", async () => {
    const name = free();
    const answer = await anas.send("POST", "", { name, content: "select 1 -- é" });
    expect(answer.status).toBe(201);
    const saved = answer.json.data;
    expect(saved).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{24}$/),
      path: name,
      name,
      folderId: null,
      connectionId: null,
      language: "sql",
      description: "",
      content: "select 1 -- é",
      chart: null,
      variables: {},
      choices: {},
      expect: null,
      question: null,
      access: "private",
      ownerId: ana.id,
      version: 1,
      schedule: null,
      lastRun: null,
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      updatedAt: saved.createdAt,
    });
    expect((await anas.send("GET", `/${saved.id}`)).json.data).toEqual(saved);
    const { content: _, chart: __, variables: ___, choices: ____, expect: _____, question: ______, ...summary } = saved;
    const list = (await anas.send("GET", "?limit=200")).json.data;
    expect(list.find(({ id }: { id: string }) => id === saved.id)).toEqual(summary);
    const history = (await anas.send("GET", `/${saved.id}/git/history`)).json.data;
    expect(history).toEqual({
      items: [
        {
          sha: expect.stringMatching(/^[0-9a-f]{40}$/),
          author: { name: "Ana", email: ana.email },
          date: expect.stringMatching(/Z$/),
          subject: `Create ${name}`,
          additions: 1,
          deletions: 0,
        },
      ],
      nextCursor: null,
    });
    const { sha } = history.items[0];
    const commit = (await anas.send("GET", `/${saved.id}/git/commit?sha=${sha.slice(0, 7)}`)).json.data;
    expect(commit).toEqual({
      sha,
      parents: expect.any(Array),
      author: { name: "Ana", email: ana.email },
      date: history.items[0].date,
      message: `Create ${name}\n`,
      files: [
        {
          path: `consoles/${name}.sql`,
          status: "added",
          before: null,
          after: "select 1 -- é",
          additions: 1,
          deletions: 0,
          patch: expect.stringContaining("+select 1 -- é"),
        },
      ],
    });
  });

  it("counts added and removed lines per save, ignoring a missing last newline", async () => {
    const saved = await anas.make(free(), { content: "select 1" });
    let { version } = saved;
    for (const content of ["select 1\nfrom orders", "select 2\nfrom orders\n", "select 2\nfrom orders"]) {
      const { status, json } = await anas.send("PUT", `/${saved.id}`, { content, version });
      expect(status).toBe(200);
      version = json.data.version;
    }
    const { items } = (await anas.send("GET", `/${saved.id}/git/history`)).json.data;
    expect(
      items.map((item: { additions: number; deletions: number }) => `+${item.additions} -${item.deletions}`),
    ).toEqual(["+0 -0", "+1 -1", "+1 -0", "+1 -0"]);
    const sha = items[2].sha;
    const [file] = (await anas.send("GET", `/${saved.id}/git/commit?sha=${sha}`)).json.data.files;
    expect(file).toMatchObject({ additions: 1, deletions: 0, patch: expect.stringContaining("-select 1\n") });
  });

  it("takes its connection's language, and a file ending only once", async () => {
    const [connection] = (await call("GET", `/api/workspaces/${ana.workspaceId}/connectors`, ana)).json.data;
    const name = free();
    const saved = await anas.make(`${name}.SQL`, { connectionId: connection.id });
    expect(saved).toMatchObject({ name: `${name}.SQL`, path: name, language: "sql", connectionId: connection.id });
    expect(await anas.story(saved.id)).toEqual([`added consoles/${name}.sql: Create ${name}`]);
    const mongo = await anas.make(name, { language: "mongodb" });
    expect(await anas.story(mongo.id)).toEqual([`added consoles/${name}.mongodb: Create ${name}`]);
    expect((await anas.send("POST", "", { name, content: "" })).status).toBe(409);
  });

  it("adds a version and a commit per save, and restores a text as a new commit", async () => {
    const saved = await anas.make(free(), { content: "one" });
    const second = await anas.save(saved.id, { version: 1, content: "two" });
    expect(second.json.data).toMatchObject({ version: 2, content: "two" });
    const { items } = (await anas.send("GET", `/${saved.id}/git/history`)).json.data;
    expect(items.map(({ subject }: { subject: string }) => subject)).toEqual([
      `Save ${saved.path}`,
      `Create ${saved.path}`,
    ]);
    const restored = await anas.send("POST", `/${saved.id}/git/restore`, { sha: items[1].sha.slice(0, 10) });
    expect(restored.json.data).toMatchObject({ version: 3, content: "one" });
    expect(await anas.story(saved.id)).toEqual([
      `modified consoles/${saved.path}.sql: Restore ${saved.path} to ${items[1].sha.slice(0, 7)}`,
      `modified consoles/${saved.path}.sql: Save ${saved.path}`,
      `added consoles/${saved.path}.sql: Create ${saved.path}`,
    ]);
  });

  it("keeps its history over renames, moves and a combined change of text", async () => {
    const folder = await anas.makeFolder(free("f"));
    const saved = await anas.make(free("a"), { content: "one" });
    const [a, b] = [saved.name, free("b")];
    await anas.save(saved.id, { version: 1, name: b, content: "quite another text" });
    const moved = await anas.save(saved.id, { version: 2, folderId: folder.id });
    expect(moved.json.data).toMatchObject({ path: `${folder.path}/${b}`, folderId: folder.id, version: 3 });
    const out = await anas.save(saved.id, { version: 3, folderId: null, name: a });
    expect(out.json.data).toMatchObject({ path: a, folderId: null });
    const story = [
      `renamed consoles/${a}.sql: Move ${folder.path}/${b} to ${a}`,
      `renamed consoles/${folder.path}/${b}.sql: Move ${b} to ${folder.path}/${b}`,
      `renamed consoles/${b}.sql: Rename ${a} to ${b}`,
      `added consoles/${a}.sql: Create ${a}`,
    ];
    expect(await anas.story(saved.id)).toEqual(story);
    const next = await anas.make(b);
    expect(await anas.story(next.id)).toEqual([`added consoles/${b}.sql: Create ${b}`]);
    expect(await anas.story(saved.id)).toEqual(story);
  });

  it("changes its connection with a commit, as its file names it", async () => {
    const [connection] = (await call("GET", `/api/workspaces/${ana.workspaceId}/connectors`, ana)).json.data;
    const saved = await anas.make(free());
    const changed = await anas.save(saved.id, { version: 1, connectionId: connection.id });
    expect(changed.json.data).toMatchObject({ version: 2, connectionId: connection.id });
    expect((await anas.save(saved.id, { version: 2, connectionId: null })).json.data.connectionId).toBeNull();
    expect(await anas.story(saved.id)).toHaveLength(3);
  });

  it("keeps its chart, also in a copy and over a deletion", async () => {
    const chart = {
      $schema: "https://vega.github.io/schema/vega-lite/v6.json",
      mark: { type: "bar" },
      encoding: { x: { field: "a\\.b" }, "y.z": null },
      usermeta: { $set: [1, "\u0000"] },
    };
    const saved = await anas.make(free(), { chart });
    expect(saved).toMatchObject({ chart });
    const changed = await anas.save(saved.id, { version: 1, chart: { ...chart, mark: "line" } });
    expect(changed.json.data).toMatchObject({ version: 2, chart: { ...chart, mark: "line" } });
    expect((await anas.save(saved.id, { version: 2, content: "select 2" })).json.data.chart.mark).toBe("line");
    const copy = (await anas.send("POST", `/${saved.id}/duplicate`)).json.data;
    await anas.send("DELETE", `/${saved.id}`);
    await anas.send("POST", `/${saved.id}/restore`);
    for (const { id } of [saved, copy]) {
      expect((await anas.send("GET", `/${id}`)).json.data.chart).toEqual({ ...chart, mark: "line" });
    }
    expect(await anas.story(copy.id)).toHaveLength(1);
    expect((await anas.save(copy.id, { version: 1, chart: null })).json.data.chart).toBeNull();
    expect(await anas.story(copy.id)).toHaveLength(2);
  });

  it("rejects a chart that is not an object, too long or too deep", async () => {
    const saved = await anas.make(free());
    for (const chart of ["bar", 7, [], { rows: "x".repeat(65 * 1024) }]) {
      const answer = await anas.save(saved.id, { version: 1, chart });
      expect([answer.status, answer.json.details[0].path]).toEqual([400, "chart"]);
    }
    const rawBody = `{"version":1,"chart":{"deep":${"[".repeat(400_000)}${"]".repeat(400_000)}}}`;
    const url = `/api/workspaces/${ana.workspaceId}/consoles/${saved.id}`;
    expect((await call("PUT", url, { ...ana, rawBody })).status).toBe(400);
    expect((await anas.send("GET", `/${saved.id}`)).json.data).toMatchObject({ version: 1, chart: null });
  });

  it("keeps its question over a rename, a copy and an edit by hand", async () => {
    const question = { table: { name: "orders" }, summaries: [{ function: "count" }], timezone: "Europe/Vienna" };
    const saved = await anas.make(free(), { content: "select 1", question });
    const whole = { joins: [], formulas: [], filters: [], groups: [], columns: [], sorts: [], ...question };
    expect(saved.question).toEqual({ ...whole, isCurrent: true });
    await anas.save(saved.id, { version: 1, name: free() });
    const copy = (await anas.send("POST", `/${saved.id}/duplicate`)).json.data;
    expect(copy.question).toEqual(saved.question);
    // Only the ends of lines and of the text may differ.
    const changed = async (version: number, body: object) =>
      (await anas.save(saved.id, { version, ...body })).json.data.question;
    expect(await changed(2, { content: "select 2" })).toEqual({ ...whole, isCurrent: false });
    expect(await changed(3, { content: "select 1\r\n" })).toEqual({ ...whole, isCurrent: true });
    const other = { ...saved.question, limit: 5 };
    expect(await changed(4, { content: "select 5", question: other })).toEqual({ ...whole, limit: 5, isCurrent: true });
    expect(await changed(5, { question: null })).toBeNull();
    const long = { ...question, table: { name: "orders" }, columns: Array(500).fill({ column: "x".repeat(99) }) };
    const answer = await anas.save(saved.id, { version: 6, question: long });
    expect([answer.status, answer.json.details[0].path]).toEqual([400, "question"]);
  });

  it("is duplicated beside the original under a free name, with a new history", async () => {
    const folder = await anas.makeFolder(free("f"));
    const saved = await anas.make("report.sql", { folderId: folder.id, content: "select 7" });
    const names: string[] = [];
    let last = saved.id;
    for (let n = 0; n < 3; n++) {
      const copy = await anas.send("POST", `/${last}/duplicate`);
      expect([copy.status, copy.json.data.content, copy.json.data.version]).toEqual([201, "select 7", 1]);
      expect(await anas.story(copy.json.data.id)).toHaveLength(1);
      names.push(copy.json.data.name);
      last = copy.json.data.id;
    }
    expect(names).toEqual(["report copy.sql", "report copy 2.sql", "report copy 3.sql"]);
  });

  it("is deleted by a commit, and restored with history, ID and place", async () => {
    const saved = await anas.make(free());
    expect((await anas.send("DELETE", `/${saved.id}`)).status).toBe(200);
    for (const path of ["", "/git/history", "/draft"]) {
      expect((await anas.send("GET", `/${saved.id}${path}`)).status).toBe(404);
    }
    expect((await anas.send("DELETE", `/${saved.id}`)).status).toBe(404);
    const back = await anas.send("POST", `/${saved.id}/restore`);
    expect(back.json.data).toMatchObject({ id: saved.id, path: saved.path, version: 2, content: "select 1" });
    expect(await anas.story(saved.id)).toEqual([
      `added consoles/${saved.path}.sql: Bring ${saved.path} back`,
      `deleted consoles/${saved.path}.sql: Delete ${saved.path}`,
      `added consoles/${saved.path}.sql: Create ${saved.path}`,
    ]);
    expect((await anas.send("POST", `/${saved.id}/restore`)).status).toBe(404);
  });

  it("is restored to the top level without its folder, and not over another one", async () => {
    const folder = await anas.makeFolder(free("f"));
    const saved = await anas.make(free(), { folderId: folder.id });
    expect((await anas.send("DELETE", `/folders/${folder.id}?recursive=true`)).status).toBe(200);
    const blocker = await anas.make(saved.name);
    expect((await anas.send("POST", `/${saved.id}/restore`)).status).toBe(409);
    await anas.send("DELETE", `/${blocker.id}`);
    expect((await anas.send("POST", `/${saved.id}/restore`)).json.data).toMatchObject({
      path: saved.name,
      folderId: null,
    });
  });

  it("is restored into the named folder, but not where others would see it", async () => {
    const [folder, shared] = [
      await anas.makeFolder(free("f")),
      await anas.makeFolder(free("s"), { access: "workspace" }),
    ];
    const saved = await anas.make(free());
    await anas.send("DELETE", `/${saved.id}`);
    expect((await anas.send("POST", `/${saved.id}/restore`, { folderId: shared.id })).status).toBe(400);
    expect((await anas.send("POST", `/${saved.id}/restore`, { folderId: ABSENT })).status).toBe(404);
    const back = await anas.send("POST", `/${saved.id}/restore`, { folderId: folder.id });
    expect(back.json.data).toMatchObject({ path: `${folder.path}/${saved.name}`, folderId: folder.id });
    await anas.send("DELETE", `/${saved.id}`);
    expect((await anas.send("POST", `/${saved.id}/restore`, { folderId: null })).json.data.path).toBe(saved.name);
  });
});

describe("bad input", () => {
  it("returns a conflict with the current console for a stale version, and changes nothing (F10)", async () => {
    const saved = await anas.make(free());
    const current = (await anas.save(saved.id, { version: 1, content: "mine" })).json.data;
    for (const version of [1, 0, 3, -1]) {
      const answer = await anas.save(saved.id, { version, content: "theirs" });
      expect([answer.status, answer.json.code, answer.json.details]).toEqual([409, "conflict", { current }]);
    }
    expect((await anas.send("GET", `/${saved.id}`)).json.data).toEqual(current);
    expect(await anas.story(saved.id)).toHaveLength(2);
  });

  it("rejects a save without a valid version", async () => {
    const { id } = await anas.make(free());
    for (const version of [undefined, null, "1", 1.5, {}]) {
      expect((await anas.save(id, { version, content: "x" })).status).toBe(400);
    }
  });

  it("reports deleted, foreign and private folders and connections as missing, and stores nothing", async () => {
    const gone = await anas.makeFolder(free("f"));
    await anas.send("DELETE", `/folders/${gone.id}`);
    const foreign = await strangers.makeFolder(free("f"));
    const hidden = await bens.makeFolder(free("f"));
    const [connection] = (await call("GET", `/api/workspaces/${stranger.workspaceId}/connectors`, stranger)).json.data;
    const saved = await anas.make(free());
    const wrong = [
      { folderId: gone.id },
      { folderId: foreign.id },
      { folderId: hidden.id },
      { folderId: ABSENT },
      { connectionId: connection.id },
      { connectionId: ABSENT },
    ];
    for (const body of wrong) {
      const name = free();
      expect((await anas.send("POST", "", { name, content: "x", ...body })).status).toBe(404);
      expect(await collections.consoles().countDocuments({ name })).toBe(0);
      expect((await anas.save(saved.id, { version: 1, ...body })).status).toBe(404);
    }
    expect((await anas.send("GET", `/${saved.id}`)).json.data).toEqual(saved);
  });

  it.each([
    "..",
    ".",
    "a/b",
    "../x",
    "a\\b",
    "a\0b",
    "a\u202eb",
    ".git",
    "GIT~1",
    " .. ",
    "",
    "   ",
    "x".repeat(121),
    "\ud800",
    "é".repeat(110),
    "a\nb",
  ])("rejects the name %j for consoles and folders, and stores nothing", async (name) => {
    const before = await collections.consoles().countDocuments();
    const answer = await anas.send("POST", "", { name, content: "x" });
    expect([answer.status, answer.json.code, answer.json.details[0].path]).toEqual([400, "invalid_request", "name"]);
    expect(await collections.consoles().countDocuments()).toBe(before);
    expect((await anas.send("POST", "/folders", { name })).status).toBe(400);
  });

  it("treats Unicode forms of a name as one, stored composed", async () => {
    const stem = free("caf");
    const saved = await anas.make(`${stem}e\u0301`);
    expect(saved.name).toBe(`${stem}\u00e9`);
    for (const same of [`${stem}\u00e9`, `${stem}\u00c9`, `${stem.toUpperCase()}e\u0301.sql`, `${stem}\uff45\u0301`]) {
      const answer = await anas.send("POST", "", { name: same, content: "x" });
      expect([same, answer.status]).toEqual([same, 409]);
    }
    const folder = await anas.send("POST", "/folders", { name: `${stem}\u00c9.SQL` });
    expect(folder.status).toBe(409);
    expect((await anas.save(saved.id, { version: 1, name: `${stem}\u00c9` })).json.data.name).toBe(`${stem}\u00c9`);
  });

  it("rejects unstorable texts and those over 1 MiB, and keeps a large one exactly", async () => {
    for (const content of ["a\0b", "\ud800", 7, null, {}]) {
      expect((await anas.send("POST", "", { name: free(), content })).status).toBe(400);
    }
    const large = "select 'ü'\r\n".repeat(60_000);
    const saved = await anas.make(free(), { content: large });
    expect((await anas.send("GET", `/${saved.id}`)).json.data.content).toBe(large);
    const { sha } = (await anas.send("GET", `/${saved.id}/git/history`)).json.data.items[0];
    expect((await anas.send("GET", `/${saved.id}/git/commit?sha=${sha}`)).json.data.files[0].after).toBe(large);
    const answer = await anas.send("POST", "", { name: free(), content: "x".repeat(1024 * 1024) });
    expect([answer.status, answer.json.code]).toEqual([413, "too_large"]);
  });

  it("returns 400 for a malformed SHA, 404 for unknown and foreign ones, 409 for an ambiguous one", async () => {
    const saved = await anas.make(free());
    const other = await anas.make(free());
    const foreign = await strangers.make(free());
    const hidden = await bens.make(free());
    const shaOf = async (author: ConsoleAuthor, id: string) =>
      (await author.send("GET", `/${id}/git/history`)).json.data.items[0].sha;
    const bad = ["abcdef", "g".repeat(7), "a".repeat(41), "", "%00", "HEAD", "main", "--all"];
    const unknown = [
      "0".repeat(7),
      "0".repeat(40),
      await shaOf(anas, other.id),
      await shaOf(strangers, foreign.id),
      await shaOf(bens, hidden.id),
    ];
    const ask = async (sha: string) => [
      (await anas.send("GET", `/${saved.id}/git/commit?sha=${sha}`)).status,
      (await anas.send("POST", `/${saved.id}/git/restore`, { sha: decodeURIComponent(sha) })).status,
    ];
    for (const sha of bad) expect([sha, ...(await ask(sha))]).toEqual([sha, 400, 400]);
    for (const sha of unknown) expect([sha, ...(await ask(sha))]).toEqual([sha, 404, 404]);
    expect((await anas.send("GET", `/${saved.id}/git/commit`)).status).toBe(400);

    // Forge two commits with the same prefix: real ones would take some ten thousand saves.
    const sha = await shaOf(anas, saved.id);
    const entry = await collections.gitHistory().findOne({ lineage: saved.id });
    if (!entry) throw new Error("The save is in no history.");
    const twin = `${sha.slice(0, 12)}${sha[12] === "0" ? "1" : "0"}${sha.slice(13)}`;
    await collections.gitHistory().insertOne({ ...entry, _id: new ObjectId(), oid: twin });
    expect(await ask(sha.slice(0, 12))).toEqual([409, 409]);
    expect((await ask(sha))[0]).toBe(200);
  });

  it("rejects another list's cursor", async () => {
    const { id } = await anas.make(free());
    for (const cursor of ["x", "x.y", ".", "a.b.c", `${"0".repeat(40)}.`]) {
      const answer = await anas.send("GET", `/${id}/git/history?cursor=${cursor}`);
      expect([cursor, answer.status]).toEqual([cursor, cursor === "." ? 200 : 400]);
    }
  });
});

describe("access to a console", () => {
  it("hides a private one from everyone but its owner, in every operation", async () => {
    const { id } = await anas.make(free(), { content: "select 'hidden treasure'" });
    const { sha } = (await anas.send("GET", `/${id}/git/history`)).json.data.items[0];
    const key = authorOf({ key: await seedKey(ana.workspaceId, ben) }, ana.workspaceId);
    for (const author of [bens, key]) {
      const asked: [string, string, unknown?][] = [
        ["GET", ""],
        ["PUT", "", { version: 1, content: "x" }],
        ["DELETE", ""],
        ["POST", "/restore"],
        ["POST", "/duplicate"],
        ["GET", "/draft"],
        ["PUT", "/draft", { content: "x" }],
        ["DELETE", "/draft"],
        ["POST", "/execute", {}],
        ["GET", "/git/history"],
        ["GET", `/git/commit?sha=${sha}`],
        ["POST", "/git/restore", { sha }],
      ];
      for (const [method, path, body] of asked) {
        const hidden = await author.send(method, `/${id}${path}`, body);
        const missing = await author.send(method, `/${ABSENT}${path}`, body);
        expect([method, path, hidden.status, hidden.text]).toEqual([method, path, 404, missing.text]);
      }
      expect((await author.send("GET", "?limit=200")).text).not.toContain(id);
      expect((await author.send("GET", "/search?q=treasure")).json.data).toEqual([]);
    }
    expect((await anas.send("GET", `/${id}`)).json.data.version).toBe(1);
    await anas.send("DELETE", `/${id}`);
    expect((await bens.send("POST", `/${id}/restore`)).status).toBe(404);
  });

  it("lets every member edit a shared one, and records their names", async () => {
    const saved = await anas.make(free(), { access: "workspace" });
    expect((await bens.save(saved.id, { version: 1, content: "select 2" })).status).toBe(200);
    const { items } = (await anas.send("GET", `/${saved.id}/git/history`)).json.data;
    expect(items.map(({ author }: { author: { email: string } }) => author.email)).toEqual([ben.email, ana.email]);
    expect((await strangers.send("GET", `/${saved.id}`)).status).toBe(404);
    expect((await bens.save(saved.id, { version: 2, access: "private" })).status).toBe(403);
  });

  it("allows a name once in each space", async () => {
    const name = free();
    await anas.make(name);
    await bens.make(name);
    await anas.make(name, { access: "workspace" });
    expect((await bens.send("POST", "", { name, content: "", access: "workspace" })).status).toBe(409);
  });

  it("reveals the shared text and nothing of its private past", async () => {
    const saved = await anas.make(free(), { content: "select 'password'" });
    await anas.save(saved.id, { version: 1, content: "select 'clean'" });
    const privateSha = (await anas.send("GET", `/${saved.id}/git/history`)).json.data.items[1].sha;
    const shared = await anas.save(saved.id, { version: 2, access: "workspace" });
    expect(shared.json.data).toMatchObject({ access: "workspace", version: 3 });
    expect(await bens.story(saved.id)).toEqual([`added consoles/${saved.path}.sql: Share ${saved.path}`]);
    expect((await bens.send("GET", `/${saved.id}/git/commit?sha=${privateSha}`)).status).toBe(404);
    expect((await bens.send("POST", `/${saved.id}/git/restore`, { sha: privateSha })).status).toBe(404);
    expect((await anas.send("GET", `/${saved.id}/git/commit?sha=${privateSha}`)).status).toBe(200);
    expect((await anas.story(saved.id)).map((line) => line.split(":")[1])).toEqual([
      ` Share ${saved.path}`,
      ` Save ${saved.path}`,
      ` Create ${saved.path}`,
    ]);
    await withExport(new ObjectId(ana.workspaceId), async (dir) => {
      const { stdout } = await git(dir, "log", "--all", "-p");
      expect(stdout).toContain("select 'clean'");
      expect(stdout).not.toContain("password");
      expect(stdout).not.toContain("hidden treasure");
    });
    const taken = await anas.save(saved.id, { version: 3, access: "private" });
    expect(taken.json.data).toMatchObject({ access: "private", version: 4 });
    expect((await bens.send("GET", `/${saved.id}`)).status).toBe(404);
    expect((await anas.story(saved.id))[0]).toBe(`added consoles/${saved.path}.sql: Make ${saved.path} private`);
  });

  it("pages a history over both spaces without gap or repeat", async () => {
    const saved = await anas.make(free(), { content: "0" });
    const subjects: string[] = [];
    for (let version = 1; version <= 12; version++) {
      const access = version % 3 === 0 ? (version % 2 === 0 ? "private" : "workspace") : undefined;
      await anas.save(saved.id, { version, content: String(version), ...(access && { access }) });
    }
    const all = (await anas.send("GET", `/${saved.id}/git/history?limit=200`)).json.data.items;
    let cursor: string | null = null;
    do {
      const from: string = cursor === null ? "" : `&cursor=${encodeURIComponent(cursor)}`;
      const page = (await anas.send("GET", `/${saved.id}/git/history?limit=3${from}`)).json.data;
      expect(page.items.length).toBeLessThanOrEqual(3);
      subjects.push(...page.items.map(({ sha }: { sha: string }) => sha));
      cursor = page.nextCursor;
    } while (cursor !== null);
    expect(subjects).toEqual(all.map(({ sha }: { sha: string }) => sha));
    expect(new Set(subjects).size).toBe(all.length);
    // Twelve saves and the first; four of them changed sides, which makes a commit in each repository.
    expect(all).toHaveLength(13);
    const made = await Promise.all(
      all.slice(0, 12).map(({ sha }: { sha: string }) => anas.send("GET", `/${saved.id}/git/commit?sha=${sha}`)),
    );
    const texts = made.map(({ json }) => json.data.files[0].after);
    expect(texts).toEqual(Array.from({ length: 12 }, (_, n) => String(12 - n)));
  });

  it("deletes private repositories with their workspace", async () => {
    const person = await seedPerson("Leaving");
    const author = authorOf(person, person.workspaceId);
    await author.make(free());
    const workspaceId = new ObjectId(person.workspaceId);
    const [repository] = await collections.privateRepositories().find({ workspaceId }).toArray();
    if (!repository) throw new Error("A private console has a repository.");
    expect(await collections.gitObjects().countDocuments({ workspaceId: repository._id })).toBeGreaterThan(0);
    expect((await call("DELETE", `/api/workspaces/${person.workspaceId}`, person)).status).toBe(200);
    expect(await collections.gitObjects().countDocuments({ workspaceId: repository._id })).toBe(0);
    expect(await collections.consoles().countDocuments({ workspaceId })).toBe(0);
    expect(await collections.privateRepositories().countDocuments({ workspaceId })).toBe(0);
  });
});

describe("drafts", () => {
  it("are personal, not committed, and removed when discarded", async () => {
    const saved = await anas.make(free(), { access: "workspace" });
    expect((await anas.send("GET", `/${saved.id}/draft`)).json.data).toBeNull();
    const kept = await anas.send("PUT", `/${saved.id}/draft`, { content: "half a que" });
    expect(kept.json.data).toEqual({
      consoleId: saved.id,
      content: "half a que",
      version: 1,
      updatedAt: expect.stringMatching(/Z$/),
    });
    await bens.send("PUT", `/${saved.id}/draft`, { content: "ben's", version: 1 });
    expect((await anas.send("GET", `/${saved.id}/draft`)).json.data).toEqual(kept.json.data);
    expect((await bens.send("GET", `/${saved.id}/draft`)).json.data.content).toBe("ben's");
    expect(await anas.story(saved.id)).toHaveLength(1);
    for (let n = 0; n < 2; n++) expect((await anas.send("DELETE", `/${saved.id}/draft`)).status).toBe(200);
    expect((await anas.send("GET", `/${saved.id}/draft`)).json.data).toBeNull();
    expect((await bens.send("GET", `/${saved.id}/draft`)).json.data.content).toBe("ben's");
  });

  it("are one for many windows, and limited to 1 MiB", async () => {
    const saved = await anas.make(free());
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, n) => anas.send("PUT", `/${saved.id}/draft`, { content: `window ${n}` })),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200));
    expect(await collections.consoleDrafts().countDocuments({ consoleId: new ObjectId(saved.id) })).toBe(1);
    // Of the windows that have seen none, the first one stores its draft, and the others learn of it.
    const other = await anas.make(free());
    const path = `/${other.id}/draft`;
    const first = await Promise.all(
      Array.from({ length: 5 }, (_, n) => anas.send("PUT", path, { content: `window ${n}`, updatedAt: null })),
    );
    const stored = (await anas.send("GET", path)).json.data;
    expect(first.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409]);
    for (const { status, json } of first) if (status === 409) expect(json.details.current).toEqual(stored);
    expect((await anas.send("DELETE", `${path}?updatedAt=${new Date(0).toISOString()}`)).status).toBe(409);
    expect((await anas.send("GET", path)).json.data).toEqual(stored);
    const large = await anas.send("PUT", `/${saved.id}/draft`, { content: "x".repeat(1024 * 1024) });
    expect([large.status, large.json.code]).toEqual([413, "too_large"]);
  });
});

describe("search", () => {
  it("finds words in names and texts, best first, with the line", async () => {
    const word = randomBytes(4).toString("hex");
    const inText = await anas.make(free(), { content: `-- first\nselect 'Zebra-${word}' as x` });
    const inName = await anas.make(`late zebra-${word}`);
    const first = await anas.make(`Zebra-${word} stripes`);
    const exact = await anas.make(`zebra-${word}.sql`, { access: "workspace" });
    const hits = (await anas.send("GET", `/search?q=zebra-${word.toUpperCase()}`)).json.data;
    expect(hits.map(({ id }: { id: string }) => id)).toEqual([exact.id, first.id, inName.id, inText.id]);
    expect(hits[3].snippet).toEqual({ line: 2, text: `select 'Zebra-${word}' as x` });
    expect([hits[0].snippet, hits[0].lines, hits[0].lineCount]).toEqual([null, [], 0]);
    const both = (await anas.send("GET", `/search?q=${word}%20STRIPES`)).json.data;
    expect(both.map(({ id }: { id: string }) => id)).toEqual([first.id]);
    expect((await bens.send("GET", `/search?q=${word}`)).json.data.map(({ id }: { id: string }) => id)).toEqual([
      exact.id,
    ]);
  });

  it("returns at most five lines of a text, to those who can see it only", async () => {
    const word = randomBytes(4).toString("hex");
    const content = Array.from({ length: 8 }, (_, i) => (i % 2 ? `-- ${i}` : `select ${word} as c${i}`)).join("\n");
    const many = `${Array.from({ length: 7 }, () => `Sum of ${word}`).join("\n")}`;
    const own = await anas.make(free(), { content });
    const shared = await anas.make(free(), { content: many, access: "workspace" });
    const [forOther, forOwner] = await Promise.all(
      [bens, anas].map(async (each) => (await each.send("GET", `/search?q=of%20${word}`)).json.data),
    );
    expect(forOther.map(({ id }: { id: string }) => id)).toEqual([shared.id]);
    expect(forOther[0]).toMatchObject({ lineCount: 7, lines: Array(5).fill({ text: `Sum of ${word}` }) });
    expect(forOther[0].lines.map(({ line }: { line: number }) => line)).toEqual([1, 2, 3, 4, 5]);
    expect(forOwner.map(({ id }: { id: string }) => id)).toEqual([shared.id]);
    const lines = (await anas.send("GET", `/search?q=${word}`)).json.data.find(
      ({ id }: { id: string }) => id === own.id,
    ).lines;
    expect(lines.map(({ line }: { line: number }) => line)).toEqual([1, 3, 5, 7]);
  });

  it("treats input as text, not as a pattern, and requires some", async () => {
    const saved = await anas.make(free(), { content: "select a.* from t where x ~ '(?=[z' and y = $1" });
    for (const q of ["a.*", "(?=[z", "$1", "x ~ '"]) {
      const hits = (await anas.send("GET", `/search?q=${encodeURIComponent(q)}`)).json.data;
      expect([q, hits.some(({ id }: { id: string }) => id === saved.id)]).toEqual([q, true]);
    }
    expect((await anas.send("GET", "/search?q=.*%5E%24nothing")).json.data).toEqual([]);
    for (const query of ["", "?q=", "?q=%20", `?q=${"x".repeat(201)}`]) {
      expect((await anas.send("GET", `/search${query}`)).status).toBe(400);
    }
  });
});
