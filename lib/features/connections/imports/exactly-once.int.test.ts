import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { ObjectId } from "mongodb";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { closeServerMember } from "@/lib/platform/process/server-context";
import { splitCases } from "@/test/cases";
import { call } from "@/test/client";
import { takeOwnDatabase } from "@/test/database";
import { processesOfFile } from "@/test/fixtures/connections/drivers/duckdb/processes";
import { type Person, seedPerson } from "@/test/seed";
import { workspaceFolder } from "../files/folders";

const { drop } = takeOwnDatabase();
afterAll(drop);

const ROWS = 200_000;
const RECORDS = 'create table __millrace.imports (id varchar, "rows" bigint, note varchar, committed_at bigint)';

let owner: Person;
beforeAll(async () => {
  owner = await seedPerson();
});

const send = (method: string, path: string, body?: unknown, of = owner) =>
  call(method, `/api/workspaces/${of.workspaceId}${path}`, { cookie: of.cookie, body });

async function upload(rawBody: string, of = owner): Promise<string> {
  const answer = await call("POST", `/api/workspaces/${of.workspaceId}/imports?name=t.csv`, {
    cookie: of.cookie,
    rawBody,
  });
  expect(answer.status, answer.text).toBe(201);
  return answer.json.data.id;
}

async function append(id: string, table: string, settings?: object) {
  return send("POST", `/imports/${id}/table`, { table, mode: "append", settings });
}

async function create(table: string, content: string): Promise<string> {
  const answer = await send("POST", `/imports/${await upload(content)}/table`, { table });
  expect(answer.status, answer.text).toBe(200);
  return answer.json.data.connectionId;
}

async function rowsOf(connectionId: string, query: string) {
  const answer = await send("POST", `/databases/${connectionId}/execute`, { query });
  expect(answer.status, answer.text).toBe(200);
  return answer.json.data.rows;
}

const filesOf = () => workspaceFolder(new ObjectId(owner.workspaceId));
const folderOf = (id: string) => join(filesOf(), ".imports", id);

describe("a server that is killed", () => {
  /** Writes of an import, in their order, and the state of the upload's folder that a kill after each leaves. */
  const AFTER_COMMIT: [string, (folder: string) => void][] = [
    ["before it writes the result", () => {}],
    ["while it writes the result", (folder) => writeFileSync(join(folder, "upload.json.part"), '{"file":"t.c')],
  ];
  test.each(AFTER_COMMIT)("after the commit, %s, has appended once", async (state, leave) => {
    const table = `killed ${state}`;
    const connectionId = await create(table, "id,v\n0,a\n");
    const id = await upload("id,v\n1,b\n2\n");
    const folder = folderOf(id);
    expect((await send("POST", `/imports/${id}/preview`, {})).status).toBe(200);
    const before = `${folder}-before`;
    cpSync(folder, before, { recursive: true });
    const first = await append(id, table);
    expect(first.json.data).toMatchObject({ rows: 1, rejectedRows: 1, rejectedTable: `${table}_rejected` });
    rmSync(folder, { recursive: true });
    cpSync(before, folder, { recursive: true });
    rmSync(before, { recursive: true });
    leave(folder);
    // Another import can't use up what this one did.
    expect((await append(id, `${table} other`)).status).toBe(404);
    expect((await append(id, table)).json.data).toEqual(first.json.data);
    expect(await rowsOf(connectionId, `select count(*) as n from "${table}"`)).toEqual([{ n: 2 }]);
    expect(await rowsOf(connectionId, `select count(*) as n from "${table}_rejected"`)).toEqual([{ n: 1 }]);
    expect(readdirSync(folder)).toEqual(["upload.json"]);
    expect((await append(id, table)).json.data).toEqual(first.json.data);
  });

  test("after it has written the result, leaves files that the next request ignores", async () => {
    const connectionId = await create("noted", "id\n0\n");
    const id = await upload("id\n1\n");
    const source = readFileSync(join(folderOf(id), "source"));
    const first = await append(id, "noted");
    writeFileSync(join(folderOf(id), "source"), source);
    expect((await append(id, "noted")).json.data).toEqual(first.json.data);
    expect(await rowsOf(connectionId, "select count(*) as n from noted")).toEqual([{ n: 2 }]);
  });

  const BEFORE_COMMIT: [string, (folder: string) => void][] = [
    ["a torn preview", (folder) => truncateSync(join(folder, "preview.json"), 40)],
    [
      "half a preview, and no earlier one",
      (folder) => {
        rmSync(join(folder, "preview.json"));
        writeFileSync(join(folder, "preview.json.part"), '{"asked"');
      },
    ],
    [
      "a half-read file",
      (folder) => {
        rmSync(join(folder, "preview.json"));
        for (const name of readdirSync(folder)) {
          if (name !== "source" && name !== "upload.json") truncateSync(join(folder, name), 4);
        }
      },
    ],
  ];
  test.each(BEFORE_COMMIT)(
    "before the commit leaves %s, and the file is read again",
    { tags: ["long"] },
    async (state, leave) => {
      const id = await upload("id\n1\n");
      expect((await send("POST", `/imports/${id}/preview`, {})).status).toBe(200);
      leave(folderOf(id));
      const answer = await send("POST", `/imports/${id}/table`, { table: state });
      expect(answer.json.data).toMatchObject({ rows: 1 });
      expect(await rowsOf(answer.json.data.connectionId, `select id from "${state}"`)).toEqual([{ id: 1 }]);
    },
  );

  test("leaves records that no list shows, and that expire", async () => {
    const connectionId = await create("listed", "id\n0\n");
    const entities = (await send("GET", `/connectors/${connectionId}/entities`)).json.data;
    expect(entities.filter(({ schema }: { schema?: string }) => schema !== undefined)).toEqual([]);
    await write("update __millrace.imports set committed_at = committed_at - 49 * 60 * 60 * 1000");
    await create("listed later", "id\n0\n");
    expect(await write("select count(*)::integer from __millrace.imports")).toEqual([[1]]);
  });
});

/** Leftovers of someone in place of the records. */
const LEFT: [string, string[]][] = [
  ["another table", ["create schema __millrace", "create table __millrace.imports (a int)"]],
  ["no schema", []],
  ["a view", ["create schema __millrace", "create view __millrace.imports as select 1 as id"]],
  ["an index that takes one record of a kind", [RECORDS, 'create unique index one on __millrace.imports ("rows")']],
  ["a table that takes one record of a kind", [RECORDS.replace('"rows" bigint', '"rows" bigint unique')]],
  ["a table that takes no records", [RECORDS.replace("id varchar", "id varchar check (false)")]],
  ["a table that needs other values", [RECORDS.replace("note varchar", "note varchar not null default 'x'")]],
];
for (const { tags, cases } of splitCases(LEFT, 4))
  test.each(cases)("imports into a file with %s in place of the records", { tags }, async (_, statements) => {
    const connectionId = await create(`before ${statements}`, "id\n0\n");
    const isNamed = statements.some((statement) => statement.startsWith("create table __millrace.imports (id"));
    await write("drop schema __millrace cascade", ...(isNamed ? ["create schema __millrace"] : []), ...statements);
    if (isNamed)
      await write(`insert into __millrace.imports values ('0', 1, 'earlier', ${Date.now()})`).catch(() => {});
    const shown = (await send("GET", `/connectors/${connectionId}/entities`)).json.data;
    expect(shown.filter(({ schema }: { schema?: string }) => schema !== undefined)).toEqual([]);
    const id = await upload("id\n1\n");
    const first = await append(id, `before ${statements}`);
    expect(first.json.data).toMatchObject({ rows: 1 });
    expect((await append(id, `before ${statements}`)).json.data).toEqual(first.json.data);
  });

test("refuses an upload whose record someone has changed", async () => {
  await create("changed", "id\n0\n");
  const id = await upload("id\n1\n");
  await write(`insert into __millrace.imports values ('${id}', 1, 'no note', ${Date.now()})`);
  expect((await append(id, "changed")).status).toBe(404);
});

test("refuses each statement of a member that names the records", async () => {
  const queries = [
    "select * from __millrace.imports",
    'create index i on "__MILLRACE".imports (id)',
    "insert into __millrace.imports values ('x', 9, 'x', 0)",
    "drop schema __millrace cascade",
    "create view seen as select * from Files.__millrace.imports",
    "create macro seen() as table select * from __millrace.imports",
  ];
  const connectionId = await create("guarded", "id\n0\n");
  expect((await send("PATCH", `/connectors/${connectionId}`, { readOnly: false })).status).toBe(200);
  try {
    for (const query of queries) {
      const answer = await send("POST", `/databases/${connectionId}/execute`, { query });
      expect([query, answer.status, answer.json.code]).toEqual([query, 400, "not_allowed"]);
    }
  } finally {
    await send("PATCH", `/connectors/${connectionId}`, { readOnly: true });
  }
});

test("refuses to read the records through a view of an uploaded file", async () => {
  const connectionId = await create("viewed", "id\n0\n");
  await write("create view seen as from __millrace.imports");
  try {
    for (const query of ["select id from seen", "from duckdb_table_sample('__millrace.imports')"]) {
      const answer = await send("POST", `/databases/${connectionId}/execute`, { query });
      expect([answer.status, answer.json.code]).toEqual([400, "not_allowed"]);
    }
  } finally {
    await write("drop view seen");
  }
});

/** Runs statements in the file of the imported tables, as someone could before they upload it. */
async function write(...queries: string[]): Promise<unknown[][]> {
  // The engine locks the file.
  await closeServerMember("dataSources");
  const instance = await DuckDBInstance.create(join(filesOf(), "Files.duckdb"));
  const connection = await instance.connect();
  try {
    let rows: unknown[][] = [];
    for (const query of queries) rows = (await connection.runAndReadAll(query)).getRows();
    return rows;
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

describe("several imports at once", () => {
  test("append all to one table, and to two", async () => {
    const connectionId = await create("one", "id\n0\n");
    await create("two", "id\n0\n");
    const tables = ["one", "one", "two", "one"];
    const ids = await Promise.all(tables.map((_, n) => upload(`id\n${`${n}\n`.repeat(500)}`)));
    const answers = await Promise.all(ids.map((id, n) => append(id, tables[n] as string)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    const counts = "select (select count(*) from one) as one, (select count(*) from two) as two";
    expect(await rowsOf(connectionId, counts)).toEqual([{ one: 1_501, two: 501 }]);
  });

  test("of one workspace leave others their turn", async () => {
    const other = await seedPerson();
    const many = await Promise.all(Array.from({ length: 4 }, () => upload("id\n1\n")));
    const single = await upload("id\n1\n", other);
    const ended: string[] = [];
    const read = async (name: string, id: string, of: Person) => {
      expect((await send("POST", `/imports/${id}/preview`, {}, of)).status).toBe(200);
      ended.push(name);
    };
    const own = many.map((id) => read("own", id, owner));
    await Promise.all([...own, read("other", single, other)]);
    // Of the two readers, one workspace has one.
    expect(ended.indexOf("other")).toBeLessThan(3);
  });
});

describe("the size of an upload without an announced length", () => {
  test.each([
    ["exactly the space that is left", 20, 201],
    ["one byte more", 21, 507],
  ])("%s", async (_, bytes, status) => {
    const person = await seedPerson();
    const folder = workspaceFolder(new ObjectId(person.workspaceId));
    mkdirSync(folder, { recursive: true });
    const log = join(folder, "Files.duckdb.wal");
    writeFileSync(log, "");
    truncateSync(log, 10 * 1024 ** 3 - 20);
    const answer = await call("POST", `/api/workspaces/${person.workspaceId}/imports?name=t.csv`, {
      cookie: person.cookie,
      rawBody: "i".repeat(bytes),
    });
    rmSync(log);
    expect(answer.status, answer.text).toBe(status);
    expect(readdirSync(join(folder, ".imports"))).toHaveLength(status === 201 ? 1 : 0);
  });

  test.each([
    ["a missing part", 6],
    ["a repeated part", 4],
  ])("is refused with %s, when it was announced", async (_, announced) => {
    const person = await seedPerson();
    const answer = await call("POST", `/api/workspaces/${person.workspaceId}/imports?name=t.csv`, {
      cookie: person.cookie,
      rawBody: "id\n1\n",
      headers: { "content-length": String(announced) },
    });
    expect(answer.status).not.toBe(201);
    expect(readdirSync(join(workspaceFolder(new ObjectId(person.workspaceId)), ".imports"))).toEqual([]);
  });
});

test("an engine that is killed during an append has appended all rows or none", {
  tags: ["long"],
  timeout: 600_000,
}, async () => {
  const connectionId = await create("engine", "id\n0\n");
  const id = await upload(`id\n${"1\n".repeat(ROWS)}`);
  expect((await send("POST", `/imports/${id}/preview`, {})).status).toBe(200);
  // Each kill is later than the one before, so that some of them hit the transaction and its commit.
  for (let round = 1; ; round++) {
    const asked = append(id, "engine");
    const killed = new Promise((resolve) => setTimeout(resolve, 20 * 2 ** round)).then(() => {
      for (const pid of processesOfFile(join(filesOf(), "Files.duckdb")).reverse()) process.kill(pid, "SIGKILL");
    });
    const [answer] = await Promise.all([asked, killed]);
    const counted = await vi.waitFor(() => rowsOf(connectionId, "select count(*) as n from engine"), 30_000);
    expect([1, 1 + ROWS]).toContain(counted[0].n);
    if (answer.status !== 200) continue;
    expect([answer.json.data.rows, counted[0].n]).toEqual([ROWS, 1 + ROWS]);
    return;
  }
});
