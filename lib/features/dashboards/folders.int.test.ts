import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { takeOwnDatabase } from "@/test/database";
import { authorOf as consoleAuthorOf } from "@/test/fixtures/consoles/console-author";
import { authorOf, type DashboardAuthor } from "@/test/fixtures/dashboards/dashboard-author";
import { type Person, removeMember, seedMember, seedPerson } from "@/test/seed";

const own = takeOwnDatabase();
let [anas, bens, strangers] = [] as unknown as [DashboardAuthor, DashboardAuthor, DashboardAuthor];
let ana: Person;
beforeAll(async () => {
  ana = await seedPerson("Ana");
  const stranger = await seedPerson("Stranger");
  anas = authorOf(ana, ana.workspaceId);
  bens = authorOf(await seedMember(ana.workspaceId, "member"), ana.workspaceId);
  strangers = authorOf(stranger, stranger.workspaceId);
});
afterAll(own.drop);

const free = (stem = "f") => `${stem}-${randomBytes(5).toString("hex")}`;
const ABSENT = "f".repeat(24);

async function chain(depth: number, more?: Record<string, unknown>): Promise<string[]> {
  const ids: string[] = [];
  for (let level = 0; level < depth; level++) {
    ids.push((await anas.makeFolder(free(), { ...more, parentId: ids.at(-1) ?? null })).id);
  }
  return ids;
}

describe("a folder of dashboards", () => {
  it("is private unless shared, and is returned as created", async () => {
    const name = free();
    const answer = await anas.send("POST", "/folders", { name });
    expect([answer.status, answer.json.success, answer.json.data]).toEqual([
      201,
      true,
      {
        id: expect.stringMatching(/^[0-9a-f]{24}$/),
        name,
        path: name,
        parentId: null,
        access: "private",
        ownerId: ana.id,
        createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        updatedAt: answer.json.data.createdAt,
      },
    ]);
    const { id } = answer.json.data;
    const listed = async (author: DashboardAuthor) =>
      (await author.send("GET", "/folders?limit=200")).json.data.filter((each: { id: string }) => each.id === id);
    expect([await listed(anas), await listed(bens)]).toEqual([[answer.json.data], []]);
    const hidden = await bens.send("PATCH", `/folders/${id}`, { name: "x" });
    expect([hidden.status, hidden.text]).toEqual([
      404,
      (await bens.send("PATCH", `/folders/${ABSENT}`, { name: "x" })).text,
    ]);
    expect((await bens.send("DELETE", `/folders/${id}`)).status).toBe(404);
    expect((await anas.send("PATCH", `/folders/${id}`, { access: "workspace" })).json.data.access).toBe("workspace");
    expect(await listed(bens)).toHaveLength(1);
  });

  it("shares no name, list or ID with folders of consoles", async () => {
    const consoles = consoleAuthorOf(ana, ana.workspaceId);
    const name = free();
    const ofConsoles = await consoles.makeFolder(name);
    const ofDashboards = await anas.makeFolder(name);
    expect((await anas.send("POST", "/folders", { name: free(), parentId: ofConsoles.id })).status).toBe(404);
    expect((await consoles.send("DELETE", `/folders/${ofDashboards.id}`)).status).toBe(404);
    expect((await anas.send("DELETE", `/folders/${ofDashboards.id}`)).status).toBe(200);
    const left = (await consoles.send("GET", "/folders?limit=200")).json.data;
    expect(left.map(({ id }: { id: string }) => id)).toContain(ofConsoles.id);
  });

  it("requires a trimmed name of 1 to 120 characters", async () => {
    const longest = free().padEnd(120, "x");
    expect((await anas.send("POST", "/folders", { name: `  ${longest} ` })).json.data.name).toBe(longest);
    for (const name of ["", "   ", "x".repeat(121), 7, null, undefined, "a/b", ".."]) {
      const refused = await anas.send("POST", "/folders", { name });
      expect([refused.status, refused.json.code, refused.json.success]).toEqual([400, "invalid_request", false]);
    }
    const access = await anas.send("POST", "/folders", { name: free(), access: "public" });
    expect([access.status, access.json.details[0].path]).toEqual([400, "access"]);
  });

  it("requires a visible parent: missing, foreign and hidden ones are one 404, an invalid ID is 400", async () => {
    const foreign = await strangers.makeFolder(free(), { access: "workspace" });
    const hidden = await bens.makeFolder(free());
    const answers = [];
    for (const parentId of [ABSENT, foreign.id, hidden.id]) {
      const { status, text } = await anas.send("POST", "/folders", { name: free(), parentId });
      answers.push([status, text]);
    }
    expect(new Set(answers.map(String)).size).toBe(1);
    expect(answers[0]?.[0]).toBe(404);
    expect((await anas.send("POST", "/folders", { name: free(), parentId: "no-id" })).status).toBe(400);
  });

  it("nests eight deep, created or moved, and never in itself", async () => {
    const ids = await chain(8);
    expect((await anas.send("POST", "/folders", { name: free(), parentId: ids[7] })).status).toBe(400);
    const [two] = await chain(2);
    expect((await anas.send("PATCH", `/folders/${two}`, { parentId: ids[6] })).status).toBe(400);
    expect((await anas.send("PATCH", `/folders/${two}`, { parentId: ids[5] })).status).toBe(200);
    for (const parentId of [ids[0], ids[1], ids[7]]) {
      const circle = await anas.send("PATCH", `/folders/${ids[0]}`, { parentId });
      expect([circle.status, circle.json.details[0].path]).toEqual([400, "parentId"]);
    }
  });

  it("rejects one of two concurrent moves that would form a cycle", async () => {
    const [a, b] = [await anas.makeFolder(free()), await anas.makeFolder(free())];
    const answers = await Promise.all([
      anas.send("PATCH", `/folders/${a.id}`, { parentId: b.id }),
      anas.send("PATCH", `/folders/${b.id}`, { parentId: a.id }),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
  });

  it("is created once for one name used twice at once", async () => {
    const name = free();
    const answers = await Promise.all(
      [name, name.toUpperCase(), name].map((each) => anas.send("POST", "/folders", { name: each })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
  });

  it("is deleted empty, or with subfolders on request, and once", async () => {
    const [top, inner] = await chain(2);
    const full = await anas.send("DELETE", `/folders/${top}`);
    expect([full.status, full.json.code, full.json.details]).toEqual([409, "conflict", { dashboards: 0, folders: 1 }]);
    expect((await anas.send("DELETE", `/folders/${top}?recursive=perhaps`)).status).toBe(400);
    expect((await anas.send("DELETE", `/folders/${top}?recursive=true`)).status).toBe(200);
    expect((await anas.send("DELETE", `/folders/${top}?recursive=true`)).status).toBe(404);
    expect((await anas.send("PATCH", `/folders/${inner}`, { name: free() })).status).toBe(404);
  });

  it("requires a current membership", async () => {
    const gone = await seedMember(ana.workspaceId, "member");
    const author = authorOf(gone, ana.workspaceId);
    const shared = await author.makeFolder(free(), { access: "workspace" });
    await removeMember(ana.workspaceId, gone);
    expect((await author.send("POST", "/folders", { name: free() })).status).toBe(403);
    expect((await authorOf({}, ana.workspaceId).send("POST", "/folders", { name: free() })).status).toBe(401);
    expect((await anas.send("PATCH", `/folders/${shared.id}`, { name: free() })).status).toBe(200);
  });
});
