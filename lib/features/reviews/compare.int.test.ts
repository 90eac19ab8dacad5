import { ObjectId } from "mongodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { collections } from "@/lib/features/instance/collections";
import { writeNow } from "@/lib/features/query/history-writer";
import {
  type Change,
  commitChanges,
  createReview,
  findHead,
  MAIN_BRANCH,
  readFile,
} from "@/lib/features/repository/service";
import { closeServerMember } from "@/lib/platform/process/server-context";
import { call } from "@/test/client";
import { takeOwnDatabase } from "@/test/database";
import { takeOwnDataDir } from "@/test/fixtures/connections/drivers/duckdb/open-file";
import { authorOf, type ConsoleAuthor } from "@/test/fixtures/consoles/console-author";
import { modelText } from "@/test/fixtures/metrics/metric-files";
import { type Person, seedKey, seedMember, seedPerson } from "@/test/seed";

const dataDir = takeOwnDataDir();
const own = takeOwnDatabase();
let ana: Person;
let bo: Person;
let author: ConsoleAuthor;
let repositoryId: ObjectId;
let connectionId = "";
const home = () => `/api/workspaces/${ana.workspaceId}`;
beforeAll(async () => {
  ana = await seedPerson("Ana");
  bo = await seedMember(ana.workspaceId, "member");
  repositoryId = new ObjectId(ana.workspaceId);
  author = authorOf({ key: await seedKey(ana.workspaceId, ana) }, ana.workspaceId);
  const body = { name: "own", type: "duckdb", config: { file: "own.duckdb" }, readOnly: false };
  connectionId = (await call("POST", `${home()}/connectors`, { ...ana, body })).json.data.id;
});
afterAll(async () => {
  await writeNow();
  await closeServerMember("dataSources");
  await own.drop();
  dataDir.remove();
});

let count = 0;
/** Creates a review with these changes on top of main, and returns its name. */
async function review(changes: Change[]): Promise<string> {
  const name = `r${count++}`;
  const sha = (await findHead(repositoryId, MAIN_BRANCH)) ?? "";
  await createReview(repositoryId, { name: `review/${name}`, sha, createdBy: new ObjectId(ana.id) });
  const commit = { repositoryId, author: { name: "Bo", email: "bo@example.com" }, message: name };
  await commitChanges({ ...commit, branch: `review/${name}`, changes });
  return name;
}
const put = (path: string, content: string): Change => ({ kind: "put", path, content });
const compare = (name: string, path: string, who: object = bo, more: object = {}) =>
  call("POST", `${home()}/reviews/${name}/compare`, { ...who, body: { path, ...more } });
const values = (rows: string) => `select * from (values ${rows}) as t(id, n)`;
async function consoleWith(content: string): Promise<string> {
  const { path } = await author.make(`c${count++}`, { content, connectionId, access: "workspace" });
  return `consoles/${path}.sql`;
}

describe("the results of a review", () => {
  it("of a console are its rows added, removed and changed, for a member and a read-only key", async () => {
    const path = await consoleWith(values("(1, 10), (2, 20), (3, 30)"));
    const name = await review([put(path, values("(1, 10), (2, 21), (4, 40)"))]);
    const readKey = { key: await seedKey(ana.workspaceId, bo, "read") };
    for (const who of [bo, readKey]) {
      const answer = await compare(name, path, who);
      expect(answer.status, answer.text).toBe(200);
      expect(answer.json.data).toMatchObject({
        kind: "console",
        parts: [
          {
            key: "id",
            added: [{ id: 4, n: 40 }],
            removed: [{ id: 3, n: 30 }],
            changed: [{ before: { id: 2, n: 20 }, after: { id: 2, n: 21 } }],
            before: { rowCount: 3, truncated: false, error: null },
          },
        ],
      });
    }
    // The console itself has not changed.
    const saved = await collections.consoles().findOne({ workspaceId: repositoryId, file: path });
    expect(saved?.content).toContain("(2, 20)");
  });

  it("never change data, also on a writable connection", async () => {
    const path = await consoleWith("select 1 as a");
    const name = await review([put(path, "create table never as select 1 as a")]);
    const { parts } = (await compare(name, path, ana)).json.data;
    expect(parts[0]).toMatchObject({ before: { rowCount: 1 }, after: { error: expect.stringMatching(/read-only/i) } });
  });

  it("show the error of one version beside the rows of the other", async () => {
    const path = await consoleWith("select 1 as a");
    const { parts } = (await compare(await review([put(path, "select nothing")]), path)).json.data;
    expect(parts[0]).toMatchObject({ addedCount: 0, before: { error: null }, after: { error: expect.any(String) } });
  });

  it("read metrics by name", async () => {
    const table = { query: "create table orders as select 1 as id, 'paid' as status from range(3)" };
    await call("POST", `${home()}/databases/${connectionId}/execute`, { ...ana, body: table });
    const content = modelText({ metric: "order_count", connection: "own" });
    await call("PUT", `${home()}/metrics/shop`, { ...ana, body: { content } });
    const path = await consoleWith("select metric(order_count) as n");
    const changed = put(path, "select metric(order_count, orders.nothing) as n");
    const { parts } = (await compare(await review([changed]), path)).json.data;
    expect(parts[0]).toMatchObject({
      before: { rowCount: 1, error: null },
      after: { error: expect.stringContaining("metric(order_count): ") },
    });
  });

  it("end at 1,000 rows of each version", async () => {
    const path = await consoleWith("select i from range(1000) t(i)");
    const { parts } = (await compare(await review([put(path, "select i from range(1001) t(i)")]), path)).json.data;
    expect(parts[0]).toMatchObject({ before: { truncated: false }, after: { rowCount: 1000, truncated: true } });
  });

  it("have one side for a deleted file, and need a connection for a new one", async () => {
    const path = await consoleWith("select 1 as a");
    const gone = await review([{ kind: "delete", path }]);
    expect((await compare(gone, path)).json.data.parts[0]).toMatchObject({ after: null, removedCount: 1 });
    const added = await review([put("consoles/new.sql", "select 1")]);
    const answer = await compare(added, "consoles/new.sql");
    expect([answer.status, answer.json.error]).toEqual([400, expect.stringContaining("has no connection")]);
  });

  it("bind variables, and name those without a value", async () => {
    const path = await consoleWith("select {{n}} as n");
    const name = await review([put(path, "select {{n}} + 1 as n")]);
    expect((await compare(name, path)).status).toBe(400);
    const { parts } = (await compare(name, path, bo, { variables: { n: 1 } })).json.data;
    expect(parts[0]).toMatchObject({ added: [{ n: 2 }], removed: [{ n: 1 }] });
  });

  it("of a dashboard are those of its changed widgets", async () => {
    const source = { connectionId, query: "select 5 as n" };
    const spec = { measures: [{ field: "n", op: "sum", as: "total" }] };
    const widget = (id: string) => ({ id, kind: "kpi", title: id, source, spec });
    const body = { title: "Board", access: "workspace", widgets: [widget("same"), widget("other")] };
    expect((await call("POST", `${home()}/dashboards`, { ...ana, body })).status).toBe(201);
    const path = "dashboards/Board.json";
    const file = JSON.parse((await readFile({ repositoryId, path })).content.toString("utf8"));
    file.widgets[0].layout.y += 50;
    file.widgets[1].source.query = "select 7 as n";
    const name = await review([put(path, JSON.stringify(file))]);
    const answer = await compare(name, path, ana);
    expect(answer.status, answer.text).toBe(200);
    const [part, ...others] = answer.json.data.parts;
    expect(others).toEqual([]);
    expect(part).toMatchObject({ id: "other", title: "other", before: { rowCount: 1 }, after: { rowCount: 1 } });
    expect(Number(part.addedCount) + Number(part.changedCount)).toBe(1);
  });

  it("are refused for other files, unknown ones, and people outside of the workspace", async () => {
    const name = await review([put("docs/a.md", "# A\n")]);
    expect((await compare(name, "docs/a.md")).status).toBe(400);
    expect((await compare(name, "consoles/none.sql")).status).toBe(404);
    expect((await compare("missing", "docs/a.md")).status).toBe(404);
    expect((await compare(name, "docs/a.md", await seedPerson("Stranger"))).status).toBe(403);
    expect((await compare(name, "docs/a.md", {})).status).toBe(401);
  });
});
