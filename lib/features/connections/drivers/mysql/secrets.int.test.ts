import { createConnection } from "mysql2/promise";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { AppError } from "@/lib/platform/http/errors";
import { ask, change, openWith } from "@/test/conformance/drivers/subjects";
import { startMariaDb } from "@/test/servers/mariadb";
import type { TestServer } from "@/test/servers/postgres";
import type { QueryableSource } from "../../data-source";
import { mysql } from ".";

/* Password hashes and passwords of other servers, by every statement that could be read-only. */

let server: TestServer | null = null;
let admin: QueryableSource;
/** Connected to an ordinary database, and to the server's system database. */
const readers: Record<string, QueryableSource> = {};
let secrets: string[];

const invoker = "sql security invoker";
const OBJECTS = [
  "create user marked identified by 'a marked password'",
  "create table plain (id int primary key, name varchar(20))",
  "insert into plain values (1, 'one'), (2, 'two')",
  "create server other foreign data wrapper mysql options (host '127.0.0.1', user 'marked', password 'marker-of-a-server')",
  "analyze table mysql.global_priv persistent for all",
  `create ${invoker} view of_priv as select * from mysql.global_priv`,
  `create ${invoker} view of_view as select * from of_priv`,
  `create ${invoker} view of_plain as select * from plain`,
  `create function priv_of() returns text ${invoker} reads sql data return (select group_concat(priv) from mysql.global_priv)`,
  `create ${invoker} view of_function as select priv_of()`,
];

beforeAll(async () => {
  server = await startMariaDb();
  if (!server) {
    process.stderr.write("\nNOT TESTED: what of MariaDB's own tables is secret, since it is not installed.\n\n");
    return;
  }
  const { host, port, user, password, database } = server;
  const common = { host, port, user, password };
  admin = await openWith(mysql, { ...common, database }, false);
  await change(admin, ...OBJECTS);
  const client = await createConnection({ ...common, database });
  const [rows] = await client.query(
    "select json_value(priv, '$.authentication_string') as hash from mysql.global_priv",
  );
  await client.end();
  const hashes = (rows as { hash: string | null }[]).flatMap(({ hash }) => (hash && hash.length > 20 ? [hash] : []));
  expect(hashes.length).toBeGreaterThan(0);
  secrets = [...hashes, "marker-of-a-server"];
  readers.shop = await openWith(mysql, { ...common, database }, true);
  readers.mysql = await openWith(mysql, { ...common, database: "mysql" }, true);
}, 120_000);
afterAll(async () => {
  await Promise.all(Object.values(readers).map((reader) => reader.close()));
  await admin?.close();
  await server?.stop();
});

const outcomeOf = (reader: string, query: string): Promise<string> =>
  ask(readers[reader] as QueryableSource, query).then(
    ({ rows }) => JSON.stringify(rows),
    (error: unknown) => (error instanceof AppError ? error.kind : String(error)),
  );

const REFUSED = {
  "SHOW statements": [
    "show grants",
    "show grants for marked",
    "show grants for current_user()",
    "SHOW /* */ GRANTS",
    "show create user marked",
    "show create user current_user()",
    "show create server other",
    "show slave status",
    "show all slaves status",
    "show replica status",
    "show slave hosts",
    "show replicas",
  ],
  "tables of the schema mysql": [
    "select * from mysql.global_priv",
    "select * from mysql.user",
    "select * from `mysql`.`global_priv`",
    "select * from mysql . global_priv",
    "table mysql.global_priv",
    "select * from mysql.servers",
    "select * from mysql.proxies_priv",
    "select * from mysql.column_stats",
    "select * from mysql.general_log",
    "select * from mysql.slow_log",
    "select * from mysql.slave_master_info",
    "select * from mysql.table_of_a_later_version",
    "select 1 union select priv from mysql.global_priv",
    "select (select group_concat(priv) from mysql.global_priv)",
    "select * from shop.plain where exists (select 1 from mysql.global_priv where priv like '%*%')",
    "with a as (select * from mysql.global_priv) select * from a",
    "select json_arrayagg(priv) from mysql.global_priv p join mysql.db using (user)",
    "explain select * from mysql.global_priv",
    "show variables where (select count(*) from mysql.global_priv) > 0",
  ],
  "tables of the server's other schemas": [
    "select * from information_schema.user_attributes",
    "select * from information_schema.column_statistics",
    "select * from performance_schema.replication_connection_configuration",
    "select * from performance_schema.user_variables_by_thread",
    "select * from PERFORMANCE_SCHEMA.Replication_Group_Members",
  ],
  "what leads to them": [
    "select * from shop.of_priv",
    "select * from shop.of_view",
    "select shop.priv_of()",
    "select * from shop.of_function",
  ],
};

describe.each(["shop", "mysql"])("C24 a read-only connection to the database %s", (reader) => {
  it.each(Object.keys(REFUSED) as (keyof typeof REFUSED)[])("rejects %s with passwords", async (kind) => {
    if (!server) return;
    const outcomes: Record<string, string> = {};
    for (const query of REFUSED[kind]) {
      const at = query.replaceAll("shop.", `${server.database}.`);
      outcomes[query] = await outcomeOf(reader, at);
    }
    expect(outcomes).toEqual(Object.fromEntries(REFUSED[kind].map((query) => [query, "not_allowed"])));
  });

  it("shows no password in the remaining output", async () => {
    if (!server) return;
    const queries = [
      "show tables",
      "show databases",
      "show create table mysql.user",
      "show full columns from mysql.global_priv",
      "show variables like 'version%'",
      "show privileges",
      "show processlist",
      "describe mysql.global_priv",
      "select * from information_schema.user_privileges",
      "select * from mysql.db",
      "select count(*) from mysql.help_topic",
      `select * from ${server.database}.of_plain`,
    ];
    for (const query of queries) {
      const outcome = await outcomeOf(reader, query);
      expect([query, outcome.startsWith("[")]).toEqual([query, true]);
      for (const secret of secrets) expect(outcome).not.toContain(secret);
    }
  });
});

describe("C24 a connection whose database is mysql", () => {
  it.each(["select * from global_priv", "table user", "select 1 from db, global_priv", "select * from servers"])(
    "resolves an unqualified name to a table of it: %s",
    async (query) => {
      if (!server) return;
      expect(await outcomeOf("mysql", query)).toBe("not_allowed");
    },
  );
});

/** Passwords of other servers in table options, each with the object that contains it. */
const LINKED = {
  remote: "engine=federated connection='mysql://linked:marker-of-a-link@127.0.0.1:PORT/shop/plain'",
  inert: "engine=innodb connection='mysql://linked:marker-of-a-link@127.0.0.1/shop/plain'",
  escaped: "engine=innodb connection='mysql://linked:marker-of-a-link\\'@127.0.0.1/shop/plain' comment='kept'",
  commented: `engine=innodb comment='wrapper "mysql", host "a", password "marker-of-a-link"'`,
  parted: `engine=innodb partition by hash (id) (partition p0 comment='password "marker-of-a-link"')`,
  listed: "engine=innodb option_list='user=a,password=marker-of-a-link'",
  option: "engine=innodb `password`='marker-of-a-link'",
};

describe("C24 options of tables with passwords of other servers", () => {
  beforeAll(async () => {
    if (!server) return;
    await change(
      admin,
      "install soname 'ha_federatedx'",
      "create user linked identified by 'marker-of-a-link'",
      "grant select on shop.plain to linked",
    );
    const { host, port, user, password, database } = server;
    const client = await createConnection({ host, port, user, password, database });
    await client.query("set sql_mode = 'IGNORE_BAD_TABLE_OPTIONS'");
    for (const [name, options] of Object.entries(LINKED)) {
      await client.query(`create table l_${name} (id int) ${options.replace("PORT", String(port))}`);
    }
    await client.end();
  });

  it.each(Object.keys(LINKED))("refuses to show the definition of a table: %s", async (name) => {
    if (!server) return;
    const outcomes = [];
    for (const query of [
      `show create table l_${name}`,
      `SHOW /* */ CREATE TABLE \`shop\`.\`l_${name}\``,
      `show create table shop.l_${name};`,
    ]) {
      outcomes.push(await outcomeOf("shop", query));
    }
    expect(outcomes).toEqual(["not_allowed", "not_allowed", "not_allowed"]);
  });

  it.each([true, false])("hides the password in the definition of the schema page: read-only %s", async (readOnly) => {
    if (!server) return;
    const source = readOnly ? (readers.shop as QueryableSource) : admin;
    for (const name of Object.keys(LINKED)) {
      const ddl = await source.ddl?.({ name: `l_${name}`, kind: "table" }, new AbortController().signal);
      expect(ddl).toMatch(new RegExp(`^CREATE TABLE \`l_${name}\` [^]*'\\*\\*\\*'`));
      expect(ddl).not.toContain("marker-of-a-link");
      expect(await source.ddl?.({ name: "l_escaped", kind: "table" }, new AbortController().signal)).toContain(
        "COMMENT='kept'",
      );
    }
  });

  it("still shows other definitions, and reads a federated table", async () => {
    if (!server) return;
    expect(await outcomeOf("shop", "show create table plain")).toContain("CREATE TABLE");
    expect(await outcomeOf("shop", "show create table of_plain")).toContain("VIEW");
    expect(await outcomeOf("shop", "show create table missing")).toBe("query_failed");
    expect(await outcomeOf("shop", "select count(*) from l_remote")).toBe("[[2]]");
  });

  it("refuses to list table options once a table of another server has a password among them", async () => {
    if (!server) return;
    const queries = [
      "show table status",
      "show table status like 'plain'",
      "show table status where create_options like '%a%'",
      "select * from information_schema.tables",
      "select count(*) from information_schema.TABLES where table_comment like '%a%'",
      "select partition_comment from `information_schema`.partitions",
      "table information_schema.tables",
      "select * from (select table_comment from information_schema.tables) t",
      "select * from tables_of_all",
      "select comment_of('plain')",
    ];
    await change(
      admin,
      `create ${invoker} view tables_of_all as select * from information_schema.tables`,
      `create function comment_of(t varchar(64)) returns text ${invoker} reads sql data return (select max(table_comment) from information_schema.tables where table_name = t)`,
    );
    const outcomes = async () => {
      const found = [];
      for (const query of queries) found.push((await outcomeOf("shop", query)).slice(0, 11));
      return found;
    };
    expect(await outcomes()).not.toContain("not_allowed");
    const { port } = server;
    await change(
      admin,
      "drop table l_remote",
      `create table l_remote (id int) ${LINKED.remote.replace("PORT", String(port))} comment='password "marker-of-a-comment"'`,
    );
    expect(await outcomes()).toEqual(queries.map(() => "not_allowed"));
    expect(await outcomeOf("shop", "show tables")).toContain("plain");
    expect(
      await outcomeOf("shop", "select column_name from information_schema.columns where table_name = 'plain'"),
    ).toBe('[["id"],["name"]]');
    const entities = await (readers.shop as QueryableSource).entities(new AbortController().signal);
    expect(JSON.stringify(entities)).not.toMatch(/marker-of-a/);
    await change(admin, "drop table l_remote");
    expect(await outcomes()).not.toContain("not_allowed");
  });
});
