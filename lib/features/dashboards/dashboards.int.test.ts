import { ObjectId } from "mongodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { collections } from "@/lib/features/instance/collections";
import { readFile } from "@/lib/features/repository/service";
import { writeNow } from "@/lib/platform/events/publish";
import { call } from "@/test/client";
import { takeOwnDatabase } from "@/test/database";
import { sampleIdOf } from "@/test/fixtures/connections/sample";
import { type ConsoleAuthor, authorOf as consoleAuthorOf } from "@/test/fixtures/consoles/console-author";
import { authorOf, type DashboardAuthor } from "@/test/fixtures/dashboards/dashboard-author";
import { type Person, seedKey, seedMember, seedPerson } from "@/test/seed";

const own = takeOwnDatabase();
let [anas, bens, strangers] = [] as unknown as [DashboardAuthor, DashboardAuthor, DashboardAuthor];
let [anasConsoles, bensConsoles] = [] as unknown as [ConsoleAuthor, ConsoleAuthor];
let [ana, ben, stranger] = [] as unknown as [Person, Person, Person];
let [connectionId, foreignConnectionId] = ["", ""];
beforeAll(async () => {
  [ana, stranger] = [await seedPerson("Ana"), await seedPerson("Stranger")];
  ben = await seedMember(ana.workspaceId, "member");
  anas = authorOf(ana, ana.workspaceId);
  bens = authorOf(ben, ana.workspaceId);
  strangers = authorOf(stranger, stranger.workspaceId);
  anasConsoles = consoleAuthorOf(ana, ana.workspaceId);
  bensConsoles = consoleAuthorOf(ben, ana.workspaceId);
  connectionId = await sampleIdOf(ana.workspaceId, ana);
  foreignConnectionId = await sampleIdOf(stranger.workspaceId, stranger);
});
afterAll(own.drop);

let made = 0;
const free = (stem = "Sales") => `${stem} ${made++}`;
const ABSENT = "f".repeat(24);
const layout = { x: 0, y: 0, w: 6, h: 4 };
const widget = (more?: object) => ({
  id: "w",
  kind: "chart",
  title: "Revenue",
  source: { connectionId, query: "select 1 as one" },
  spec: { mark: "bar", $schema: "https://example.com/v6.json", "a.b": [1] },
  layout,
  ...more,
});
const text = (id: string) => ({ id, kind: "text", title: "", spec: { markdown: "# Hi" }, layout });

describe("a dashboard", () => {
  it("is returned as created, with defaults", async () => {
    const title = free();
    const dataset = { id: "d", name: "Orders", source: { connectionId, query: "select 2", params: [1] }, maxAgeS: 60 };
    const filter = { id: "f", field: "at", kind: "dateRange", datasets: ["d"], default: "last30Days" };
    const answer = await anas.send("POST", "", {
      title: ` ${title} `,
      datasets: [dataset],
      widgets: [widget(), { kind: "table", source: { datasetId: "d" } }],
      filters: [filter, { kind: "search", field: "name", exclude: ["w"] }],
    });
    expect(answer.status).toBe(201);
    const { data } = answer.json;
    expect(data).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{24}$/),
      path: title,
      title,
      description: "",
      folderId: null,
      access: "private",
      ownerId: ana.id,
      schedule: null,
      lastRun: null,
      version: 1,
      datasets: [dataset],
      widgets: [
        widget(),
        {
          id: expect.stringMatching(/^[0-9a-f]{12}$/),
          kind: "table",
          title: "",
          source: { datasetId: "d" },
          spec: {},
          layout: { x: 0, y: 4, w: 6, h: 4 },
        },
      ],
      filters: [
        { ...filter, title: null, exclude: [] },
        {
          id: expect.stringMatching(/^[0-9a-f]{12}$/),
          kind: "search",
          field: "name",
          title: null,
          datasets: "all",
          exclude: ["w"],
          default: null,
        },
      ],
      createdAt: expect.stringMatching(/Z$/),
      updatedAt: data.createdAt,
    });
    expect((await anas.send("GET", `/${data.id}`)).json.data).toEqual(data);
    const listed = (await anas.send("GET", "?limit=200")).json.data.find(({ id }: { id: string }) => id === data.id);
    const { datasets: _, widgets: __, filters: ___, ...summary } = data;
    expect(listed).toEqual(summary);
  });

  it("that is private is missing for everyone but its owner", async () => {
    const { id } = await anas.make(free());
    const theirs = await strangers.make(free(), { access: "workspace" });
    const list = (await bens.send("GET", "?limit=200")).json.data.map((each: { id: string }) => each.id);
    expect(list).not.toContain(id);
    const requests: [string, string, unknown?][] = [
      ["GET", ""],
      ["PUT", "", { version: 1, title: "x" }],
      ["DELETE", ""],
      ["POST", "/duplicate"],
      ["POST", "/restore"],
      ["GET", "/export"],
      ["GET", "/git/history"],
      ["GET", "/git/commit?sha=1234567"],
      ["POST", "/git/restore", { sha: "1234567" }],
    ];
    for (const [method, path, body] of requests) {
      const absent = await bens.send(method, `/${ABSENT}${path}`, body);
      expect([method, path, absent.status]).toEqual([method, path, 404]);
      for (const hidden of [id, theirs.id]) {
        const answer = await bens.send(method, `/${hidden}${path}`, body);
        expect([answer.status, answer.text]).toEqual([404, absent.text]);
      }
    }
    expect((await bens.send("GET", "/no-id")).status).toBe(400);
  });

  it("is saved with the current version; a stale one is 409 with the current state", async () => {
    const { id, title } = await anas.make(free(), { access: "workspace", widgets: [widget()] });
    const saved = await bens.send("PUT", `/${id}`, { version: 1, description: "By month" });
    expect(saved.json.data).toMatchObject({ version: 2, title, description: "By month", ownerId: ana.id });
    expect(saved.json.data.widgets).toHaveLength(1);
    const stale = await anas.send("PUT", `/${id}`, { version: 1, widgets: [] });
    expect([stale.status, stale.json.code, stale.json.details]).toEqual([
      409,
      "conflict",
      { current: saved.json.data },
    ]);
    expect((await anas.send("PUT", `/${id}`, { title: "x" })).status).toBe(400);
    const both = await Promise.all(
      [anas, bens].map((who) => who.send("PUT", `/${id}`, { version: 2, widgets: [text("t")] })),
    );
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
  });

  it("may share its title, with any characters, and has a unique file name", async () => {
    const title = `${free()} / Q1: “north”`;
    const both = await Promise.all([anas.make(title), anas.make(title)]);
    expect(both.map((each) => each.title)).toEqual([title, title]);
    const stem = title.replace("/", "-").replace(":", "-");
    expect(both.map((each) => each.path).sort()).toEqual([stem, `${stem} 2`]);
    for (const bad of ["", "  ", "x".repeat(201), null, 7]) {
      expect((await anas.send("POST", "", { title: bad })).status).toBe(400);
    }
    const longest = free().padEnd(200, "x");
    expect((await anas.make(longest)).title).toBe(longest);
  });

  it("moves between folders and spaces, and only its owner makes it private", async () => {
    const shared = await anas.makeFolder(free("shared"), { access: "workspace" });
    const { id, title } = await anas.make(free());
    const silent = await anas.send("PUT", `/${id}`, { version: 1, folderId: shared.id });
    expect([silent.status, silent.json.details[0].path]).toEqual([400, "access"]);
    const moved = await anas.send("PUT", `/${id}`, { version: 1, folderId: shared.id, access: "workspace" });
    expect(moved.json.data).toMatchObject({ path: `${shared.path}/${title}`, access: "workspace", version: 2 });
    expect((await bens.send("PUT", `/${id}`, { version: 2, access: "private" })).status).toBe(403);
    expect((await anas.send("PUT", `/${id}`, { version: 2, folderId: ABSENT })).status).toBe(404);
    const full = await anas.send("DELETE", `/folders/${shared.id}`);
    expect([full.status, full.json.details]).toEqual([409, { dashboards: 1, folders: 0 }]);
    await anas.make(title);
    const back = await anas.send("PUT", `/${id}`, { version: 2, access: "private" });
    expect(back.json.data).toMatchObject({ path: `${title} 2`, access: "private", folderId: null });
    const third = await anas.make(title, { access: "workspace" });
    const hidden = await anas.send("PUT", `/${third.id}`, { version: 1, access: "private" });
    expect(hidden.json.data).toMatchObject({ path: `${title} 3`, title });
  });

  it("is duplicated beside the original, and the copy belongs to its creator", async () => {
    const original = await anas.make(free(), { access: "workspace", widgets: [widget()] });
    const copy = await bens.send("POST", `/${original.id}/duplicate`);
    expect([copy.status, copy.json.data]).toEqual([
      201,
      {
        ...original,
        id: expect.not.stringMatching(original.id),
        title: `${original.title} copy`,
        path: `${original.title} copy`,
        ownerId: ben.id,
        createdAt: copy.json.data.createdAt,
        updatedAt: copy.json.data.createdAt,
      },
    ]);
    expect((await bens.send("POST", `/${original.id}/duplicate`)).json.data.title).toBe(`${original.title} copy 2`);
  });

  it("that was deleted is restored with ID and history", async () => {
    const { id, title } = await anas.make(free(), { widgets: [widget()] });
    expect((await anas.send("DELETE", `/${id}`)).status).toBe(200);
    for (const [method, path] of [
      ["GET", ""],
      ["DELETE", ""],
      ["POST", "/duplicate"],
    ] as const) {
      expect((await anas.send(method, `/${id}${path}`)).status).toBe(404);
    }
    await anas.make(title);
    const back = await anas.send("POST", `/${id}/restore`);
    expect(back.json.data).toMatchObject({ id, title, path: `${title} 2`, version: 2, widgets: [widget()] });
    expect((await anas.send("POST", `/${id}/restore`)).status).toBe(404);
    expect((await anas.send("GET", `/${id}/git/history`)).json.data.items).toHaveLength(3);
  });

  it("is readable with a read-only key, and writable with a full one", async () => {
    const { id } = await anas.make(free(), { access: "workspace" });
    const read = authorOf({ key: await seedKey(ana.workspaceId, ana, "read") }, ana.workspaceId);
    expect((await read.send("GET", `/${id}`)).status).toBe(200);
    expect((await read.send("PUT", `/${id}`, { version: 1, title: "x" })).status).toBe(403);
    const full = authorOf({ key: await seedKey(ana.workspaceId, ben) }, ana.workspaceId);
    expect((await full.make(free())).ownerId).toBe(ben.id);
    expect((await authorOf({}, ana.workspaceId).send("GET", "")).status).toBe(401);
    expect((await authorOf(stranger, ana.workspaceId).send("POST", "", { title: "x" })).status).toBe(403);
  });
});

describe("an invalid dashboard is rejected as a whole", () => {
  const many = <T>(count: number, of: (n: number) => T) => Array.from({ length: count }, (_, n) => of(n));
  const dataset = (n: number) => ({ id: `d${n}`, name: `Data ${n}`, source: { connectionId, query: "select 1" } });

  it("with more than 60 widgets or 20 datasets, and accepted with as many", async () => {
    const full = { widgets: many(60, (n) => text(`t${n}`)), datasets: many(20, dataset) };
    const taken = await anas.make(free(), full);
    expect([taken.widgets.length, taken.datasets.length]).toEqual([60, 20]);
    for (const more of [{ widgets: many(61, (n) => text(`t${n}`)) }, { datasets: many(21, dataset) }]) {
      const [field] = Object.keys(more);
      const refused = await anas.send("POST", "", { title: free(), ...more });
      expect([refused.status, refused.json.details[0].path]).toEqual([400, field]);
      expect((await anas.send("PUT", `/${taken.id}`, { version: 1, ...more })).status).toBe(400);
    }
    expect((await anas.send("GET", `/${taken.id}`)).json.data.version).toBe(1);
  });

  it.each([
    ["a kind that is none", { widgets: [widget({ kind: "map" })] }],
    ["a widget without data", { widgets: [widget({ source: null })] }],
    ["a dataset that is not there", { widgets: [widget({ source: { datasetId: "none" } })] }],
    ["a source of no kind", { widgets: [widget({ source: { url: "https://example.com" } })] }],
    ["two of one id", { widgets: [widget(), text("w")] }],
    ["a widget of no width", { widgets: [widget({ layout: { ...layout, w: 0 } })] }],
    ["an id with a dot", { widgets: [widget({ id: "a.b" })] }],
    ["a specification of 70 kB", { widgets: [widget({ spec: { data: "x".repeat(70_000) } })] }],
    ["a query of 300 kB", { widgets: [widget({ source: { connectionId: ABSENT, query: "x".repeat(300_000) } })] }],
    ["a dataset of a dataset", { datasets: [{ id: "d", name: "D", source: { datasetId: "d" } }] }],
    ["a dataset without a name", { datasets: [{ id: "d", name: " ", source: { consoleId: ABSENT } }] }],
    ["an age of nothing", { datasets: [{ name: "D", source: { consoleId: ABSENT }, maxAgeS: 0 }] }],
    ["a filter of a dataset that is not there", { filters: [{ kind: "select", field: "a", datasets: ["none"] }] }],
    ["a filter that spares a widget that is not there", { filters: [{ kind: "select", field: "a", exclude: ["no"] }] }],
    ["a filter of no kind", { filters: [{ kind: "range", field: "a" }] }],
    [
      "a range whose end is before its start",
      {
        filters: [{ kind: "dateRange", field: "a", default: { from: "2026-05-02", to: "2026-05-01" } }],
      },
    ],
    ["a day that is none", { filters: [{ kind: "dateRange", field: "a", default: { from: "2026-02-30" } }] }],
    ["a preset that is none", { filters: [{ kind: "dateRange", field: "a", default: "someday" }] }],
    ["a list for one value", { filters: [{ kind: "select", field: "a", default: ["x"] }] }],
    ["one value for a list", { filters: [{ kind: "multiSelect", field: "a", default: "x" }] }],
    ["a number for a text", { filters: [{ kind: "search", field: "a", default: 7 }] }],
  ])("%s", async (_, parts) => {
    const title = free();
    const refused = await anas.send("POST", "", { title, ...parts });
    expect([refused.status, refused.json.code]).toEqual([400, "invalid_request"]);
    expect(await collections.dashboards().countDocuments({ title })).toBe(0);
  });

  it("rejects sources that its creator can't query, or that only flows can read", async () => {
    for (const source of [
      { connectionId: ABSENT, query: "select 1" },
      { connectionId: foreignConnectionId, query: "select 1" },
      { consoleId: ABSENT },
      { consoleId: (await bensConsoles.make(free())).id },
    ]) {
      expect((await anas.send("POST", "", { title: free(), widgets: [widget({ source })] })).status).toBe(404);
      expect((await anas.send("POST", "", { title: free(), datasets: [{ name: "D", source }] })).status).toBe(404);
    }
    const rest = await call("POST", `/api/workspaces/${ana.workspaceId}/connectors`, {
      ...ana,
      body: {
        name: "Shop",
        type: "rest",
        config: { baseUrl: "https://example.com", resources: [{ name: "a", path: "/a" }] },
      },
    });
    expect(rest.status).toBe(201);
    const source = { connectionId: rest.json.data.id, query: "a" };
    const refused = await anas.send("POST", "", { title: free(), widgets: [widget({ source })] });
    expect([refused.status, refused.json.details[0].path]).toEqual([400, "widgets.0.source.connectionId"]);
  });

  it("rejects others' private consoles, and keeps existing ones", async () => {
    const [hers, his] = [await anasConsoles.make(free()), await bensConsoles.make(free())];
    const { id } = await anas.make(free(), {
      access: "workspace",
      widgets: [widget({ source: { consoleId: hers.id } })],
    });
    const kept = widget({ source: { consoleId: hers.id }, layout: { ...layout, x: 6 } });
    expect((await bens.send("PUT", `/${id}`, { version: 1, widgets: [kept] })).status).toBe(200);
    const added = [kept, widget({ id: "v", source: { consoleId: his.id } })];
    const refused = await bens.send("PUT", `/${id}`, { version: 2, widgets: added });
    expect([refused.status, refused.json.details[0].path]).toEqual([400, "widgets.1.source.consoleId"]);
  });
});

describe("each save is a commit", () => {
  it("at dashboards/<path>.json, described in words, and restored as a new commit", async () => {
    const title = free();
    const { id } = await anas.make(title, { access: "workspace", widgets: [widget()] });
    const saved = await bens.send("PUT", `/${id}`, {
      version: 1,
      title: `${title} of May`,
      widgets: [widget({ title: "Income" }), text("t")],
      message: "Show the income",
    });
    const repositoryId = new ObjectId(ana.workspaceId);
    const path = `dashboards/${title} of May.json`;
    const file = JSON.parse((await readFile({ repositoryId, path })).content.toString());
    expect(file).toEqual({
      title: `${title} of May`,
      description: "",
      datasets: [],
      widgets: saved.json.data.widgets,
      filters: [],
    });
    const history = (await anas.send("GET", `/${id}/git/history`)).json.data.items;
    expect(history.map(({ subject }: { subject: string }) => subject)).toEqual(["Show the income", `Create ${title}`]);
    expect(history[0].author.email).toBe(ben.email);
    const commit = await anas.send("GET", `/${id}/git/commit?sha=${history[0].sha}`);
    expect(commit.json.data).toMatchObject({
      sha: history[0].sha,
      message: "Show the income\n",
      files: [{ path, status: "renamed" }],
      changes: [
        `Renamed dashboard from “${title}” to “${title} of May”`,
        "Renamed chart “Income” from “Revenue”",
        "Added text without a title",
      ],
    });
    for (const [sha, status] of [
      ["xyz", 400],
      ["0".repeat(40), 404],
      ["123", 400],
    ] as const) {
      expect((await anas.send("GET", `/${id}/git/commit?sha=${sha}`)).status).toBe(status);
      expect((await anas.send("POST", `/${id}/git/restore`, { sha })).status).toBe(status);
    }
    const restored = await anas.send("POST", `/${id}/git/restore`, { sha: history[1].sha.slice(0, 12) });
    expect(restored.json.data).toMatchObject({ version: 3, title: `${title} of May`, widgets: [widget()] });
    expect((await anas.send("GET", `/${id}/git/history`)).json.data.items).toHaveLength(3);
  });

  it("beside console saves in the same repositories, losing and repeating none", async () => {
    const fresh = await seedPerson("Cleo");
    const [dashboards, consoles] = [authorOf(fresh, fresh.workspaceId), consoleAuthorOf(fresh, fresh.workspaceId)];
    const both = await Promise.all(
      Array.from({ length: 12 }, async (_, n) => {
        const access = n % 2 === 0 ? "workspace" : "private";
        const [dashboard, console] = await Promise.all([
          dashboards.make(`D ${n}`, { access }),
          consoles.make(`D ${n}`, { access }),
        ]);
        await Promise.all([
          dashboards.send("PUT", `/${dashboard.id}`, { version: 1, title: `E ${n}` }),
          consoles.save(console.id, { version: 1, name: `E ${n}`, content: "select 2" }),
        ]);
        return { dashboard, console };
      }),
    );
    for (const { dashboard, console } of both) {
      const title = dashboard.title.replace("D", "E");
      const subjects = (await dashboards.send("GET", `/${dashboard.id}/git/history`)).json.data.items.map(
        ({ subject }: { subject: string }) => subject,
      );
      const rename = `Rename ${dashboard.title} to ${title}`;
      expect(subjects).toEqual([rename, `Create ${dashboard.title}`]);
      expect(await consoles.story(console.id)).toEqual([
        `renamed consoles/${title}.sql: ${rename}`,
        `added consoles/${dashboard.title}.sql: Create ${dashboard.title}`,
      ]);
    }
  });

  it("is announced to those who can see it", async () => {
    const workspaceId = new ObjectId(ana.workspaceId);
    const [shared, hidden] = [await anas.make(free(), { access: "workspace" }), await anas.make(free())];
    await writeNow();
    const told = (id: string) => collections.events().find({ workspaceId, "data.resourceId": id }).toArray();
    expect((await told(shared.id)).map(({ kind, userId, data }) => [kind, userId, data])).toEqual([
      ["dashboard", null, expect.objectContaining({ resourceType: "dashboard", userId: ana.id, version: 1 })],
    ]);
    expect((await told(hidden.id)).map(({ userId }) => userId)).toEqual([new ObjectId(ana.id)]);
  });
});

describe("export and import", () => {
  it("uses names instead of IDs, and recreates the dashboard, also in another workspace", async () => {
    const console = await anasConsoles.make(free(), { content: "select 3", connectionId });
    const { id, title } = await anas.make(free(), {
      description: "All of it",
      datasets: [{ id: "d", name: "Orders", source: { consoleId: console.id }, maxAgeS: 60 }],
      widgets: [widget(), widget({ id: "v", source: { datasetId: "d" } }), text("t")],
      filters: [{ id: "f", field: "at", kind: "select", datasets: ["d"], default: 3, exclude: ["t"] }],
    });
    const exported = await anas.send("GET", `/${id}/export`);
    expect(exported.text).not.toMatch(new RegExp(`${connectionId}|${console.id}|${ana.id}|${id}`));
    expect(exported.json.data).toMatchObject({
      title,
      datasets: [{ source: { connection: "Sample shop", query: "select 3" } }],
      widgets: [
        { source: { connection: "Sample shop", query: "select 1 as one" } },
        { source: { datasetId: "d" } },
        {},
      ],
    });
    const dashboard = exported.json.data;
    const imported = await strangers.send("POST", "/import", { dashboard });
    expect([imported.status, imported.json.data]).toMatchObject([
      201,
      {
        title,
        description: "All of it",
        access: "private",
        widgets: [
          widget({ source: { connectionId: foreignConnectionId, query: "select 1 as one" } }),
          { id: "v" },
          { id: "t" },
        ],
        filters: [{ id: "f", default: 3, exclude: ["t"] }],
      },
    ]);
    expect((await strangers.send("GET", `/${imported.json.data.id}/export`)).json.data).toEqual(dashboard);
  });

  it("stores a draft for each user without a commit", async () => {
    const { id } = await anas.make(free(), { access: "workspace" });
    const path = `/${id}/draft`;
    expect((await anas.send("GET", path)).json.data).toBeNull();
    const body = { content: '{"title":"B"}', base: '{"title":"A"}', version: 1 };
    const sent = await anas.send("PUT", path, body);
    expect([sent.status, sent.json.data]).toEqual([200, { ...body, updatedAt: expect.any(String) }]);
    expect((await anas.send("GET", path)).json.data).toEqual(sent.json.data);
    expect((await bens.send("GET", path)).json.data).toBeNull();
    await bens.send("PUT", path, { ...body, content: "ben's" });
    expect((await anas.send("GET", path)).json.data.content).toBe(body.content);
    expect((await anas.send("GET", `/${id}`)).json.data.version).toBe(1);
    const large = await anas.send("PUT", path, { ...body, content: "x".repeat(400 * 1024 + 1) });
    expect([large.status, large.json.details[0].path]).toEqual([400, "content"]);
    const baseless = await anas.send("PUT", path, { ...body, base: "" });
    expect([baseless.status, baseless.json.details[0].path]).toEqual([400, "base"]);
    for (let n = 0; n < 2; n++) expect((await anas.send("DELETE", path)).status).toBe(200);
    expect((await anas.send("GET", path)).json.data).toBeNull();
    expect((await bens.send("GET", path)).json.data.content).toBe("ben's");
    expect((await strangers.send("GET", path)).status).toBe(404);
  });

  it("replaces and deletes only the draft that the window has seen", async () => {
    const { id } = await anas.make(free());
    const path = `/${id}/draft`;
    const body = (content: string, updatedAt?: string | null) => ({ content, base: "{}", version: 1, updatedAt });
    const laptop = (await anas.send("PUT", path, body("laptop", null))).json.data;
    for (const seenAt of [null, new Date(0).toISOString()]) {
      const { status, json } = await anas.send("PUT", path, body("desktop", seenAt));
      expect([status, json.code, json.details.current]).toEqual([409, "conflict", laptop]);
    }
    const next = (await anas.send("PUT", path, body("desktop", laptop.updatedAt))).json.data;
    expect(next.updatedAt).not.toBe(laptop.updatedAt);
    const late = await anas.send("DELETE", `${path}?updatedAt=${laptop.updatedAt}`);
    expect([late.status, late.json.details.current]).toEqual([409, next]);
    expect((await anas.send("GET", path)).json.data).toEqual(next);
    for (let n = 0; n < 2; n++) {
      expect((await anas.send("DELETE", `${path}?updatedAt=${next.updatedAt}`)).status).toBe(200);
    }
    // It was deleted since: nothing would be overwritten.
    expect((await anas.send("PUT", path, body("again", next.updatedAt))).status).toBe(200);
    expect((await anas.send("PUT", path, body("no condition"))).json.data.content).toBe("no condition");
  });

  it("keeps tabs of widgets in files, exports, imports and copies, and adds none", async () => {
    const widgets = [widget({ tab: " Sales " }), text("t")];
    const { id } = await anas.make(free(), { widgets });
    const tabsOf = (json: { data: { widgets: object[] } }) =>
      json.data.widgets.map((each) => ("tab" in each ? each.tab : "no tab"));
    const kept = ["Sales", "no tab"];
    expect(tabsOf((await anas.send("GET", `/${id}`)).json)).toEqual(kept);
    const exported = await anas.send("GET", `/${id}/export`);
    expect(tabsOf(exported.json)).toEqual(kept);
    expect(tabsOf((await strangers.send("POST", "/import", { dashboard: exported.json.data })).json)).toEqual(kept);
    expect(tabsOf((await anas.send("POST", `/${id}/duplicate`)).json)).toEqual(kept);
    const doc = await collections.dashboards().findOne({ _id: new ObjectId(id) });
    expect(doc?.content.match(/"tab"/g)).toHaveLength(1);
    const moved = await anas.send("PUT", `/${id}`, { version: 1, widgets: [widget({ tab: "Orders" }), text("t")] });
    expect(tabsOf(moved.json)).toEqual(["Orders", "no tab"]);
    const cleared = await anas.send("PUT", `/${id}`, { version: 2, widgets: [widget({ tab: null })] });
    expect([cleared.status, tabsOf(cleared.json)]).toEqual([200, ["no tab"]]);
    const blank = await anas.send("PUT", `/${id}`, { version: 3, widgets: [widget({ tab: " " })] });
    expect([blank.status, blank.json.details[0].message]).toEqual([400, "Tab name is required."]);
    for (const tab of ["\u200b", "a\u0000", "a\nb", "a\ud800"]) {
      const refused = await anas.send("PUT", `/${id}`, { version: 3, widgets: [widget({ tab })] });
      expect([tab, refused.status, refused.json.details?.[0].path]).toEqual([tab, 400, "widgets.0.tab"]);
    }
  });

  it("returns 400 for unknown or ambiguous names, unless they are mapped", async () => {
    const source = (connection: string) => ({ connection, query: "select 1" });
    const dashboard = {
      title: free(),
      widgets: [widget({ source: source("Warehouse") }), widget({ id: "v", source: source("Sample shop") })],
      datasets: [{ name: "D", source: source("Lake") }],
    };
    const unknown = await anas.send("POST", "/import", { dashboard });
    expect([unknown.status, unknown.json.details.map(({ path }: { path: string }) => path)]).toEqual([
      400,
      ["connections.Lake", "connections.Warehouse"],
    ]);
    const connections = { Warehouse: connectionId, Lake: foreignConnectionId };
    const foreign = await anas.send("POST", "/import", { dashboard, connections });
    expect([foreign.status, foreign.json.details.length]).toEqual([400, 1]);
    connections.Lake = connectionId;
    const told = await anas.send("POST", "/import", { dashboard, connections });
    expect(told.json.data.widgets[0].source).toEqual({ connectionId, query: "select 1" });
    for (const bad of [undefined, null, "x", { widgets: [] }]) {
      expect((await anas.send("POST", "/import", { dashboard: bad })).status).toBe(400);
    }
    const filters = [{ id: "f", kind: "select", field: "x", exclude: ["nobody"] }];
    const unfit = await anas.send("POST", "/import", { dashboard: { title: "Unfit", filters } });
    expect(unfit.json.details).toMatchObject([{ path: "dashboard.filters.0.exclude" }]);
  });

  it("does not export what reads an invisible console", async () => {
    const hers = await anasConsoles.make(free(), { content: "select 'secret'", connectionId });
    const { id } = await anas.make(free(), {
      access: "workspace",
      widgets: [widget({ source: { consoleId: hers.id } })],
    });
    const refused = await bens.send("GET", `/${id}/export`);
    expect([refused.status, refused.text.includes("secret")]).toEqual([409, false]);
    await anasConsoles.send("DELETE", `/${hers.id}`);
    expect((await anas.send("GET", `/${id}/export`)).status).toBe(409);
  });
});

describe("a connection that dashboards use", () => {
  it("lists them, also through consoles, private ones without a name, and is deleted only when forced", async () => {
    const add = await call("POST", `/api/workspaces/${ana.workspaceId}/connectors`, {
      ...ana,
      body: { name: "File", type: "sqlite", config: { file: "used.sqlite" }, readOnly: false },
    });
    const used: string = add.json.data.id;
    const console = await anasConsoles.make(free(), { content: "select 1", connectionId: used });
    const source = { connectionId: used, query: "select 1" };
    const direct = await anas.make(free(), { access: "workspace", datasets: [{ name: "D", source }] });
    const hidden = await anas.make(free(), { widgets: [widget({ source: { consoleId: console.id } })] });
    const path = `/api/workspaces/${ana.workspaceId}/connections/sources/${used}`;
    const refused = await call("DELETE", path, ana);
    expect([refused.status, refused.json.code, refused.json.details]).toEqual([
      409,
      "in_use",
      [
        { kind: "dashboard", id: direct.id, name: direct.title },
        { kind: "dashboard", id: hidden.id, name: "A private dashboard" },
      ],
    ]);
    await anas.send("DELETE", `/${hidden.id}`);
    expect((await call("DELETE", `${path}?force=true`, ana)).status).toBe(200);
    const moved = [widget({ source, layout: { ...layout, y: 9 } })];
    expect((await anas.send("PUT", `/${direct.id}`, { version: 1, title: free() })).status).toBe(200);
    expect((await anas.send("PUT", `/${direct.id}`, { version: 2, widgets: moved })).status).toBe(200);
    expect((await anas.send("GET", `/${direct.id}/export`)).status).toBe(409);
  });
});
