import { afterAll, beforeAll, expect, it } from "vitest";
import { closeServerMember } from "@/lib/platform/process/server-context";
import { call } from "@/test/client";
import { takeOwnDatabase } from "@/test/database";
import { type Person, seedPerson } from "@/test/seed";
import { type RedshiftStandIn, startRedshiftStandIn } from "@/test/servers/redshift-stand-in";
import { writeNow } from "./history-writer";

/* A Redshift connection through the API, with a stand-in for the cluster. */

const own = takeOwnDatabase();
let standIn: RedshiftStandIn;
let ana: Person;
let home = "";
let id = "";

beforeAll(async () => {
  const started = await startRedshiftStandIn();
  if (started === null) throw new Error("PostgreSQL is not installed: the Redshift driver cannot be tested.");
  standIn = started;
  await standIn.admin(`
    create table sales (region varchar(20), amount numeric(10,2), sold_at timestamp, id bigint primary key);
    insert into sales select case when n % 3 = 0 then null else 'r' || n % 3 end, n / 8.0,
      timestamp '2026-01-01' + n * interval '1 day', n from generate_series(1, 12) n;
    create table repeated (a int, b varchar(20));
    insert into repeated select 1, 'same' from generate_series(1, 5) union all select 2, 'other' from generate_series(1, 3);`);
  ana = await seedPerson("Ana");
  home = `/api/workspaces/${ana.workspaceId}`;
  const { host, port, user, password, database } = standIn;
  const config = { host, port, user, password, database, ssl: "disable" };
  const made = await call("POST", `${home}/connectors`, {
    ...ana,
    body: { name: "Warehouse", type: "redshift", config, readOnly: true },
  });
  expect(made.status, made.text).toBe(201);
  id = made.json.data.id;
});
afterAll(async () => {
  await closeServerMember("dataSources");
  await writeNow();
  await own.drop();
  await standIn?.stop();
});

const post = (path: string, body: object = {}) => call("POST", `${home}${path}`, { ...ana, body });

async function pages(body: object): Promise<{ rows: Record<string, unknown>[]; isStable: boolean }> {
  const rows: Record<string, unknown>[] = [];
  let after: string | undefined;
  for (let count = 0; count < 20; count += 1) {
    const answer = await post(`/databases/${id}/rows`, { ...body, ...(after !== undefined && { after }) });
    expect(answer.status, answer.text).toBe(200);
    rows.push(...answer.json.data.rows);
    if (answer.json.data.next === null) return { rows, isStable: answer.json.data.isStable };
    after = answer.json.data.next;
  }
  throw new Error("The pages did not end.");
}

it("describes the type with its form, dialect and icon", async () => {
  const { json } = await call("GET", "/api/connectors/types", ana);
  const type = json.data.find((each: { type: string }) => each.type === "redshift");
  expect(type).toMatchObject({ name: "Amazon Redshift", dialect: "redshift", language: "sql", category: "database" });
  expect(type.icon.paths.length).toBeGreaterThan(0);
  expect(type.fields.map(({ name }: { name: string }) => name)).toEqual(
    expect.arrayContaining(["host", "port", "database", "user", "password", "ssl", "connectionString", "schemas"]),
  );
});

it("tests the connection, names its schemas, and warns about its rights", async () => {
  const { json } = await post(`/connections/sources/${id}/test`);
  expect(json.data).toMatchObject({ ok: true, serverVersion: "Redshift", warning: expect.stringMatching(/superuser/) });
  expect(json.data.schemas).toEqual([{ name: "public", tables: 2 }]);
});

it("runs a query with values, and refuses a change", async () => {
  const query = "select region, sum(amount) as total from sales where id <= {{last}} group by 1 order by 1";
  const answer = await post(`/databases/${id}/execute`, { query, variables: { last: 2.5 } });
  expect(answer.json.data?.rows, answer.text).toEqual([
    { region: "r1", total: "0.13" },
    { region: "r2", total: "0.25" },
  ]);
  const refused = await post(`/databases/${id}/execute`, { query: "delete from sales" });
  expect(refused.json.code).toBe("read_only");
});

it("lists entities, and returns a definition", async () => {
  const { json } = await call("GET", `${home}/connectors/${id}/entities`, ana);
  expect(json.data.map(({ name }: { name: string }) => name)).toEqual(["repeated", "sales"]);
  const ddl = await call("GET", `${home}/connectors/${id}/entities/ddl?name=sales`, ana);
  expect(ddl.json.data.text).toMatch(/^CREATE TABLE/);
});

it("pages a table by every type, each row once, with nulls last", async () => {
  for (const column of ["region", "amount", "sold_at", "id"]) {
    for (const descending of [false, true]) {
      const { rows, isStable } = await pages({ table: { name: "sales" }, sort: [{ column, descending }], limit: 5 });
      expect(new Set(rows.map((row) => row.id)).size).toBe(12);
      expect(rows).toHaveLength(12);
      expect(isStable).toBe(true);
      const values = rows.map((row) => row[column]);
      expect(values.slice(values.indexOf(null)).every((value) => value === null) || !values.includes(null)).toBe(true);
    }
  }
});

it("pages duplicate rows as often as they occur", async () => {
  const { rows } = await pages({ table: { name: "repeated" }, sort: [{ column: "b", descending: false }], limit: 2 });
  expect(rows.map(({ b }) => b)).toEqual([...Array(3).fill("other"), ...Array(5).fill("same")]);
});

it("filters and counts by exact values", async () => {
  const table = { name: "sales" };
  const count = async (column: string, op: string, value: unknown) => {
    const filters = [{ column, op, value }];
    const answer = await post(`/databases/${id}/rows/count`, { table, filters });
    return answer.json.data?.count ?? answer.text;
  };
  expect(await count("amount", "is", "0.13")).toBe(1);
  // Not rounded to the column's two digits.
  expect(await count("amount", "is", "0.125")).toBe(0);
  expect(await count("region", "is", null)).toBe(4);
  expect(await count("region", "holds", "R1")).toBe(4);
  expect(await count("sold_at", "least", "2026-01-12T00:00:00")).toBe(2);
});
