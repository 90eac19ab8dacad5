import { execFile } from "node:child_process";
import { createHmac, randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { Cut, cookieOf, DATABASES, type Database, type Flow, PASSWORD, valuesOf, type World } from "./world";

const run = promisify(execFile);
/** Growth stops here, so that an hour's checks stay cheap. */
const SOURCE_ROWS_MAX = 12_000;
const CONSOLES_MAX = 60;
const APPEND_ROWS_MAX = 60_000;
const EVENT_STREAMS_END_MS = 1000;
/** A dataset that could not be read reports its error until the next read. */
const KEPT_ERROR_MS = 60_000;
const GIT_TIMEOUT_MS = 300_000;

type Operation = (world: World) => Promise<void>;

const SERIES: Record<Database, (rows: number) => string> = {
  postgres: (rows) => `select i, 'text ' || i as t from generate_series(1, ${rows}) i`,
  mysql: (rows) => `select seq as i, concat('text ', seq) as t from seq_1_to_${rows}`,
  duckdb: (rows) => `select i, 'text ' || i as t from range(1, ${rows + 1}) t(i)`,
  sqlite: (rows) =>
    `with recursive c(i) as (select 1 union all select i + 1 from c where i < ${rows}) select i, 'text ' || i as t from c`,
};
/** Statements that run until they are cancelled. */
const ENDLESS: Record<Database, string> = {
  postgres: "select count(*) from generate_series(1, 100000000) a, generate_series(1, 100000) b",
  mysql: "select sleep(300)",
  duckdb: "select count(*) from range(100000000) a, range(100000) b",
  sqlite: "with recursive c(i) as (select 1 union all select i + 1 from c) select count(*) from c",
};

async function smallQuery(world: World): Promise<void> {
  const database = world.pick(DATABASES);
  const rows = world.between(1, 40);
  const reply = await world.execute(database, SERIES[database](rows), {}, okOrDisturbed);
  if (reply.status === 200 && reply.json.data.rows.length !== rows)
    world.fault(`a query of ${rows} rows has ${reply.json.data.rows.length} rows`);
}

async function sampleQuery(world: World): Promise<void> {
  const reply = await world.execute(
    "sample",
    "select status, count(*) as n from orders group by all order by 1",
    {},
    okOrDisturbed,
  );
  if (reply.status !== 200) return;
  const total = reply.json.data.rows.reduce((sum: number, row: { n: number }) => sum + Number(row.n), 0);
  if (total !== 100_000) world.fault(`the sample's orders are ${total}`);
}

async function mediumQuery(world: World): Promise<void> {
  const database = world.pick(DATABASES);
  const rows = world.between(500, 10_000);
  const reply = await world.execute(database, SERIES[database](rows), { limit: 10_000 }, okOrDisturbed);
  if (reply.status === 200 && (reply.json.data.rows.length !== rows || reply.json.data.truncated)) {
    world.fault(`a query of ${rows} rows has ${reply.json.data.rows.length}, truncated ${reply.json.data.truncated}`);
  }
}

const EXPORTS = {
  "application/x-ndjson": (text: string) => text.split("\n").length - 1,
  "text/csv": (text: string) => text.trimEnd().split("\n").length - 1,
  "application/vnd.apache.arrow.stream": null,
  "application/vnd.apache.parquet": null,
} as const;

async function exportRows(world: World): Promise<void> {
  const database = world.pick(DATABASES);
  const rows = world.between(20_000, 200_000);
  const accept = world.pick(Object.keys(EXPORTS) as (keyof typeof EXPORTS)[]);
  const path = `${world.home}/databases/${world.connections[database]}/execute`;
  const { response, server, from } = await world.open("POST", path, {
    key: world.key,
    headers: { accept },
    body: { query: SERIES[database](rows) },
  });
  if (response.status !== 200) {
    const text = await response.text();
    if (!world.wasDisturbed(from, Date.now()))
      world.fault(`an export answered ${response.status}: ${text.slice(0, 200)}`);
    return;
  }
  try {
    const text = await response.text();
    const found = EXPORTS[accept]?.(text);
    if (found !== undefined && found !== rows)
      world.fault(`an export of ${rows} rows as ${accept} from ${database} has ${found} and looks whole`);
  } catch (error) {
    if (world.wasDisturbed(from, Date.now())) return;
    throw world.explain(error, server, from, "an export");
  }
}

async function cancelQuery(world: World): Promise<void> {
  const database = world.pick(DATABASES);
  const executionId = randomUUID();
  const server = world.anyServer();
  const from = Date.now();
  const asked = world.execute(database, ENDLESS[database], { executionId, timeoutMs: 60_000 }, [409, 400, 502, 503], {
    server,
  });
  const settled = asked.catch((error: unknown) => error);
  await sleep(world.between(50, 1500));
  for (let attempt = 0; attempt < 20; attempt += 1) {
    const cancelled = await world
      .send("POST", `/executions/${executionId}/cancel`, {}, [200, 202, 404, 409])
      .catch(() => null);
    if (cancelled !== null && cancelled.status < 300) break;
    await sleep(500);
  }
  const reply = await settled;
  if (reply instanceof Error) throw reply;
  const { status, json } = reply as Awaited<typeof asked>;
  if (json?.code !== "cancelled" && !world.wasDisturbed(from, Date.now()))
    world.fault(`a cancelled query on ${database} answered ${status} ${json?.code}`);
}

async function abandonQuery(world: World): Promise<void> {
  const database = world.pick(DATABASES);
  const left = new AbortController();
  const asked = world.execute(database, ENDLESS[database], { timeoutMs: 60_000 }, undefined, { signal: left.signal });
  setTimeout(() => left.abort(), world.between(50, 1000));
  await asked.catch(() => {});
}

async function timeOut(world: World): Promise<void> {
  const database = world.pick(DATABASES);
  const reply = await world.execute(database, ENDLESS[database], { timeoutMs: 800 }, [504, 400, 502, 503]);
  if (reply.json?.code !== "timeout" && reply.status < 500)
    world.fault(`a query past its limit on ${database} answered ${reply.status} ${reply.json?.code}`);
}

/** Writes rows, and reads them from the other server at once. */
async function writeRows(world: World): Promise<void> {
  const database = world.pick(DATABASES);
  const rows = world.between(1, 40);
  const token = randomUUID();
  const entry = { database, token, rows: [0, rows] };
  world.written.push(entry);
  const values = Array.from({ length: rows }, (_, n) => `('${token}', ${n})`).join(", ");
  const server = world.anyServer();
  const reply = await world.execute(database, `insert into ledger (token, n) values ${values}`, {}, okOrDisturbed, {
    server,
  });
  if (reply.status !== 200) return;
  entry.rows = [rows];
  if (reply.json.data.affectedRows !== rows)
    world.fault(`an insert of ${rows} rows into ${database} says ${reply.json.data.affectedRows}`);
  const count = `select count(*) as n from ledger where token = '${token}'`;
  const seen = await world.execute(database, count, {}, okOrDisturbed, { server: world.otherServer(server) });
  if (seen.status === 200 && Number(seen.json.data.rows[0].n) !== rows)
    world.fault(`${rows} rows of ${database} are ${seen.json.data.rows[0].n} on the other server`);
  if (world.random() < 0.7) return;
  entry.rows = [0, rows];
  const deleted = await world.execute(database, `delete from ledger where token = '${token}'`, {}, okOrDisturbed);
  if (deleted.status !== 200) return;
  entry.rows = [0];
  if (deleted.json.data.affectedRows !== rows)
    world.fault(`a delete of ${rows} rows of ${database} says ${deleted.json.data.affectedRows}`);
}

/**
 * Adds and changes rows of a source, with one writer for each table: cursors may miss rows if later values commit
 * first.
 */
async function changeSource(world: World): Promise<void> {
  const database = world.pick(DATABASES);
  const table = world.pick(["items", "events"] as const);
  await world.locked(`${database}.${table}`, async () => {
    const [row] = await world.rowsOf(database, `select max(id) as id, max(seq) as seq from ${table}`);
    const [id, seq] = [Number(row?.id), Number(row?.seq)];
    const isFull = id >= SOURCE_ROWS_MAX;
    if (table === "items" && (isFull || world.random() < 0.5)) {
      const [from, count] = [world.between(1, id), world.between(1, 200)];
      await execute(
        world,
        database,
        `update items set seq = ${seq} + id - ${from - 1}, cents = cents + 1 where id between ${from} and ${from + count}`,
      );
    } else if (!isFull) {
      const values = valuesOf(id + 1, id + world.between(1, 100), seq + 1);
      await execute(world, database, `insert into ${table} (id, kind, cents, note, seq) values ${values}`);
    }
  });
}

async function execute(world: World, database: Database, statement: string): Promise<void> {
  // Half of them through the product, half through the database's own client.
  if (database === "postgres" && world.random() < 0.5) await world.pg.query(statement).catch(() => {});
  else if (database === "mysql" && world.random() < 0.5) await world.mysql.query(statement).catch(() => {});
  else await world.execute(database, statement, {}, okOrDisturbed);
}

const okOrDisturbed = [200];

async function runFlow(world: World): Promise<void> {
  const flow = world.pick(world.flows);
  if (flow.kind === "append" && (await countOf(world, flow)) > APPEND_ROWS_MAX) return;
  await world.send("POST", "/flows", { flowId: flow.id }, [202, 409]);
}

async function countOf(world: World, { to }: Flow): Promise<number> {
  const rows = await world.rowsOf(to.database, `select count(*) as n from ${to.table}`).catch(() => [{ n: 0 }]);
  return Number(rows[0]?.n);
}

async function cancelFlow(world: World): Promise<void> {
  const flow = world.pick(world.flows);
  const reply = await world.send("POST", "/flows", { flowId: flow.id }, [202, 409]);
  if (reply.status !== 202) return;
  await sleep(world.between(0, 1500));
  await world.send("POST", `/flows/${flow.id}/runs/${reply.json.data.run.id}/cancel`, {}, [200, 202, 409]);
}

async function sendEvents(world: World): Promise<void> {
  const hook = world.pick(world.hooks);
  for (let left = world.between(1, 12); left > 0; left -= 1) {
    const isRepeat = world.random() < 0.2 && hook.sent.size > 0;
    const id = isRepeat ? world.pick([...hook.sent.keys()]) : randomUUID();
    const body = JSON.stringify({ id, type: "soak", note: "x".repeat(world.between(0, 300)) });
    const headers = {
      "x-service-signature": createHmac("sha256", hook.secret).update(body).digest("hex"),
      "content-type": "application/json",
    };
    if (!hook.sent.has(id)) hook.sent.set(id, "unknown");
    // A sender retries until the event is confirmed as stored.
    for (let attempt = 0; attempt < 30; attempt += 1) {
      try {
        const reply = await world.ask("POST", hook.url, { rawBody: body, headers });
        if (reply.status === 202 || reply.status === 200) {
          hook.sent.set(id, "accepted");
          break;
        }
        if (reply.status === 429) await sleep(1000);
        else if (reply.status < 500) {
          world.fault(`an event answered ${reply.status}: ${reply.text.slice(0, 200)}`);
          break;
        }
      } catch (error) {
        if (!(error instanceof Cut)) throw error;
      }
      await sleep(500);
    }
  }
}

let names = 0;
/** Settings at the start of a console's file. */
export const FRONT_MATTER = /^\/\* ---\n[\s\S]*?--- \*\/\n/;

async function saveConsole(world: World): Promise<void> {
  const free = world.consoles.filter((each) => !each.isBusy && !each.isDeleted);
  if (free.length < CONSOLES_MAX && (free.length === 0 || world.random() < 0.3)) return createConsole(world);
  const saved = world.pick(free);
  saved.isBusy = true;
  try {
    names += 1;
    const [content, message] = [`select ${names} as n -- ${saved.name}\n`, `Save ${saved.name} ${names}`];
    const path = `/consoles/${saved.id}`;
    const before = saved.contents;
    saved.contents = [...before, content];
    const reply = await world.send("PUT", path, { version: saved.version, content, message }, [200]);
    if (reply.status === 200) {
      Object.assign(saved, { contents: [content], version: reply.json.data.version });
      saved.messages.push(message);
    }
  } catch (error) {
    if (!(error instanceof Cut)) throw error;
    // As a user would do: read the current state.
    await readSaved(world, saved);
    throw error;
  } finally {
    saved.isBusy = false;
  }
}

async function createConsole(world: World): Promise<void> {
  names += 1;
  const name = `console ${names}`;
  const [content, message] = [`select ${names} as n -- new\n`, `Create ${name}`];
  const connectionId = world.connections[world.pick(DATABASES)];
  const reply = await world.send(
    "POST",
    "/consoles",
    { name, content, connectionId, access: "workspace", message },
    [201],
  );
  if (reply.status !== 201) return;
  const { id, version } = reply.json.data;
  world.consoles.push({ id, name, version, contents: [content], messages: [message], isDeleted: false, isBusy: false });
}

async function runConsole(world: World): Promise<void> {
  const saved = world.pick(world.consoles.filter((each) => !each.isDeleted && !each.isBusy));
  if (!saved) return;
  saved.isBusy = true;
  try {
    const reply = await world.send("POST", `/consoles/${saved.id}/execute`, {}, okOrDisturbed);
    const n = /select (\d+)/.exec(saved.contents[0] ?? "")?.[1];
    if (reply.status === 200 && saved.contents.length === 1 && String(reply.json.data.rows[0]?.n) !== n)
      world.fault(`a console answers ${reply.json.data.rows[0]?.n} and not ${n}`);
  } finally {
    saved.isBusy = false;
  }
}

async function deleteConsole(world: World): Promise<void> {
  const saved = world.pick(world.consoles.filter((each) => !each.isDeleted && !each.isBusy));
  if (!saved || world.consoles.length < 10) return;
  saved.isBusy = true;
  const reply = await world.insist("DELETE", `/consoles/${saved.id}`, undefined, [200, 404]).catch(() => null);
  saved.isDeleted = reply !== null && reply.status < 500;
  // It is unknown whether it was deleted, so it is no longer checked.
  if (!saved.isDeleted) world.consoles.splice(world.consoles.indexOf(saved), 1);
}

async function runSchedule(world: World): Promise<void> {
  await world.send("POST", `/consoles/${world.scheduledConsoleId}/schedule/run`, {}, [202, 409]);
}

async function readDashboard(world: World): Promise<void> {
  const { id } = world.pick(world.dashboards);
  const kinds = world.pick([undefined, ["a"], ["a", "b"], ["c"]]);
  const query = kinds ? `?filters=${encodeURIComponent(JSON.stringify({ kind: kinds }))}` : "";
  const from = Date.now();
  const reply = await world.send("GET", `/dashboards/${id}/data${query}`);
  if (reply.status !== 200 || world.wasDisturbed(from - KEPT_ERROR_MS, Date.now())) return;
  for (const widget of reply.json.data.widgets) {
    if (widget.error) world.fault(`a widget says: ${JSON.stringify(widget.error).slice(0, 200)}`);
  }
}

async function readFilter(world: World): Promise<void> {
  const { id } = world.pick(world.dashboards);
  await world.send("GET", `/dashboards/${id}/filters/kind/values`);
  await world.send("GET", `/dashboards/${id}/widgets/kinds/cube`);
}

async function refreshDashboard(world: World): Promise<void> {
  const { id } = world.pick(world.dashboards);
  await world.send("POST", `/dashboards/${id}/refresh`, {}, [202, 409]);
}

async function saveDashboard(world: World): Promise<void> {
  const dashboard = world.pick(world.dashboards);
  if (dashboard.isBusy) return;
  dashboard.isBusy = true;
  names += 1;
  try {
    const body = { version: dashboard.version, title: `Soak ${names}` };
    const reply = await world.send("PUT", `/dashboards/${dashboard.id}`, body, [200]);
    if (reply.status === 200) dashboard.version = reply.json.data.version;
  } catch (error) {
    if (!(error instanceof Cut)) throw error;
    dashboard.version = (await world.insist("GET", `/dashboards/${dashboard.id}`)).json.data.version;
    throw error;
  } finally {
    dashboard.isBusy = false;
  }
}

async function sendSnapshot(world: World): Promise<void> {
  const dashboard = world.pick(world.dashboards.filter(({ snapshotId }) => snapshotId !== null));
  await world.send("POST", `/dashboards/${dashboard.id}/snapshots/${dashboard.snapshotId}/send`, {}, [202, 409, 429]);
}

async function ask(world: World): Promise<void> {
  const text = world.pick(["How many orders are there?", "How many customers are there?", "Total of orders by status"]);
  const chatId = randomUUID().replaceAll("-", "").slice(0, 24);
  const message = { id: randomUUID(), role: "user", parts: [{ type: "text", text }] };
  const body = { workspaceId: world.workspaceId, chatId, messages: [message] };
  const { response, server, from } = await world.open("POST", "/api/agent/chat", { cookie: world.cookie, body });
  try {
    const answer = await response.text();
    if (response.status !== 200) {
      if (response.status !== 429 && !world.wasDisturbed(from, Date.now()))
        world.fault(`a chat answered ${response.status}: ${answer.slice(0, 200)}`);
    } else if (!answer.includes('"type":"finish"') || !answer.trimEnd().endsWith("data: [DONE]")) {
      const isExplained =
        world.servers.wasAway(server, from, Date.now()) || world.wasDisturbed(from, Date.now(), "store");
      if (!isExplained) world.fault(`a chat ended without its end: ${answer.slice(-200)}`);
    }
  } catch (error) {
    throw world.explain(error, server, from, "a chat");
  }
}

async function signInAndOut(world: World): Promise<void> {
  const server = world.anyServer();
  const signedIn = await world.ask("POST", "/api/auth/login", {
    body: { email: world.email, password: PASSWORD },
    server,
  });
  if (signedIn.status !== 200) {
    if (signedIn.status < 500) world.fault(`a sign-in answered ${signedIn.status}: ${signedIn.text}`);
    return;
  }
  const cookie = cookieOf(signedIn);
  const other = world.otherServer(server);
  const me = await world.ask("GET", "/api/auth/me", { cookie, server: other });
  if (me.status !== 200 && me.status < 500) world.fault(`a new session is ${me.status} on the other server`);
  await withStream(world, { cookie }, "a sign-out", async () => {
    const out = await world.ask("POST", "/api/auth/logout", { cookie, server });
    return out.status < 300;
  });
  const after = await world.ask("GET", "/api/auth/me", { cookie, server: other });
  if (after.status !== 401 && after.status < 500) world.fault(`a session that was signed out is ${after.status}`);
}

async function revokeKey(world: World): Promise<void> {
  const made = await world.send("POST", "/api-keys", { name: "short" }, [201]);
  if (made.status !== 201) return;
  const { id, key } = made.json.data;
  await withStream(world, { key }, "a deleted key", async () => {
    const gone = await world.insist("DELETE", `/api-keys/${id}`, undefined, [200, 404]);
    return gone.status < 300;
  });
  const after = await world.ask("GET", world.home, { key });
  if (after.status !== 401 && after.status < 500) world.fault(`a deleted key is answered ${after.status}`);
}

/** Opens an event stream, revokes its right, and measures how long it stays open. */
async function withStream(
  world: World,
  who: { cookie?: string; key?: string },
  what: string,
  lose: () => Promise<boolean>,
): Promise<void> {
  const { response, server, from } = await world.open("GET", `${world.home}/events`, who);
  if (response.status !== 200) {
    if (response.status !== 503) world.fault(`an event stream answered ${response.status}`);
    await response.body?.cancel();
    return;
  }
  const ended = response.text().then(
    () => true,
    () => false,
  );
  await sleep(world.between(0, 300));
  const isLost = await lose().catch((error: unknown) => {
    void response.body?.cancel().catch(() => {});
    throw error;
  });
  if (!isLost) return;
  const lostAt = performance.now();
  const outcome = await Promise.race([ended, sleep(20_000).then(() => "open")]);
  const ms = performance.now() - lostAt;
  if (world.servers.wasAway(server, from, Date.now())) return;
  // Without a store no server can know: the stream ends once the next store has started.
  const isTimed = !world.wasDisturbed(from, Date.now(), "store");
  if (isTimed) world.ends.push({ what, ms });
  if (outcome === "open") world.fault(`an event stream stays open after ${what}`);
}

/** Reads a workspace's events for a while, as a browser does. */
async function watchEvents(world: World): Promise<void> {
  const left = new AbortController();
  const { response } = await world.open("GET", `${world.home}/events`, { cookie: world.cookie, signal: left.signal });
  setTimeout(() => left.abort(), world.between(1000, 8000));
  await response.text().catch(() => {});
}

async function readRows(world: World): Promise<void> {
  const database = world.pick(DATABASES);
  const schema = { postgres: "public", mysql: world.mariadb.database, duckdb: "main", sqlite: "main" }[database];
  const ids = new Set<number>();
  let rows = 0;
  let after: string | undefined;
  for (let page = 0; page < 4; page += 1) {
    const body = { table: { schema, name: "events" }, sort: [{ column: "kind" }], limit: 500, ...(after && { after }) };
    const reply = await world.send("POST", `/databases/${world.connections[database]}/rows`, body, [200, 410]);
    if (reply.status !== 200) return;
    for (const row of reply.json.data.rows) {
      ids.add(Number(row.id));
      rows += 1;
    }
    after = reply.json.data.next ?? undefined;
    if (!after) break;
  }
  if (ids.size !== rows) world.fault(`${rows} rows of pages have ${ids.size} ids`);
}

function git(folder: string, ...args: string[]) {
  return run("git", ["-C", folder, "-c", "user.name=Soak", "-c", "user.email=soak@example.com", ...args], {
    timeout: GIT_TIMEOUT_MS,
    maxBuffer: 64 * 1024 * 1024,
    env: { ...process.env, GIT_TERMINAL_PROMPT: "0" },
  });
}

/** Commits a file of an app and a console, and pushes them to main, rebasing until the server accepts them. */
async function push(world: World): Promise<void> {
  await world.locked("git", async () => {
    const saved = world.consoles.find((each) => !each.isBusy && !each.isDeleted);
    if (saved) saved.isBusy = true;
    try {
      await pushFiles(world, saved);
    } finally {
      if (saved) saved.isBusy = false;
    }
  });
}

async function pushFiles(world: World, saved: World["consoles"][number] | undefined): Promise<void> {
  const server = world.anyServer();
  const url = `${server.url.replace("//", `//any:${world.key}@`)}/git/${world.slug}.git`;
  const clone = join(world.servers.folder, "clone");
  const from = Date.now();
  try {
    if (!existsSync(clone)) await git(world.servers.folder, "clone", "--quiet", url, clone);
    await git(clone, "remote", "set-url", "origin", url);
    await git(clone, "fetch", "--quiet", "origin");
    await git(clone, "reset", "--quiet", "--hard", "origin/main");
    names += 1;
    const file = `apps/pushed/file ${world.between(1, 30)}.ts`;
    await mkdir(dirname(join(clone, file)), { recursive: true });
    await writeFile(join(clone, file), `export default ${names};\n`);
    if (saved) await editConsole(join(clone, `consoles/${saved.name}.sql`), saved);
    await git(clone, "add", "--all");
    await git(clone, "commit", "--quiet", "--allow-empty", "--message", `Push ${names}`);
    for (let attempt = 0; attempt < 6; attempt += 1) {
      await git(clone, "fetch", "--quiet", "origin");
      await git(clone, "rebase", "--quiet", "origin/main");
      const pushed = await git(clone, "push", "--quiet", "origin", "HEAD:main").catch((error: { stderr?: string }) => {
        if (!/rejected|fetch first|cannot lock|changed/.test(error.stderr ?? "")) throw error;
        return null;
      });
      if (pushed === null) continue;
      world.pushed.push((await git(clone, "rev-parse", "HEAD")).stdout.trim());
      if (saved) saved.contents = saved.contents.slice(-1);
      break;
    }
  } catch (error) {
    const isExplained =
      world.servers.wasAway(server, from, Date.now()) || world.wasDisturbed(from, Date.now(), "store");
    if (isExplained) throw new Cut("git");
    const { stderr = "", message } = error as { stderr?: string; message: string };
    world.fault(`git failed: ${(stderr || message).replaceAll(world.key, "KEY").slice(0, 400)}`);
  } finally {
    await git(clone, "rebase", "--abort").catch(() => {});
    if (saved) await readSaved(world, saved);
  }
}

/** Replaces the text of a console's file, below its front matter. */
async function editConsole(file: string, saved: World["consoles"][number]): Promise<void> {
  const text = await readFile(file, "utf8");
  const [matter = ""] = FRONT_MATTER.exec(text) ?? [];
  const content = `select ${names} as n -- pushed\n`;
  saved.contents = [...saved.contents, content];
  await writeFile(file, `${matter}${content}`);
}

/** Reads a console after an operation whose outcome may be unknown. */
async function readSaved(world: World, saved: World["consoles"][number]): Promise<void> {
  const { content, version } = (await world.insist("GET", `/consoles/${saved.id}`)).json.data;
  if (!saved.contents.includes(content)) world.fault("a console has content that was not saved last");
  Object.assign(saved, { contents: [content], version });
}

async function readLists(world: World): Promise<void> {
  const path = world.pick([
    "/consoles",
    "/flows",
    "/dashboards",
    "/executions",
    "/runs",
    "/notifications/rules",
    "/notifications/deliveries",
    "/connectors",
    "/api-keys",
    "/runs/hours",
    "/chats",
    "/apps/feed",
  ]);
  await world.send("GET", path, undefined, [200]);
  await world.send("GET", `/flows/${world.pick(world.flows).id}`, undefined, [200]);
}

async function openPages(world: World): Promise<void> {
  const path = world.pick(["", "/consoles", "/dashboards", "/flows", "/notifications", "/settings"]);
  await world.ask("GET", `/w/${world.slug}${path}`, { cookie: world.cookie });
}

/** Every kind of operation, and its relative frequency. */
export const OPERATIONS: Record<string, { weight: number; work: Operation }> = {
  smallQuery: { weight: 20, work: smallQuery },
  sampleQuery: { weight: 4, work: sampleQuery },
  mediumQuery: { weight: 5, work: mediumQuery },
  exportRows: { weight: 4, work: exportRows },
  cancelQuery: { weight: 4, work: cancelQuery },
  abandonQuery: { weight: 2, work: abandonQuery },
  timeOut: { weight: 2, work: timeOut },
  writeRows: { weight: 12, work: writeRows },
  changeSource: { weight: 10, work: changeSource },
  runFlow: { weight: 12, work: runFlow },
  cancelFlow: { weight: 2, work: cancelFlow },
  sendEvents: { weight: 6, work: sendEvents },
  saveConsole: { weight: 8, work: saveConsole },
  runConsole: { weight: 4, work: runConsole },
  deleteConsole: { weight: 1, work: deleteConsole },
  runSchedule: { weight: 1, work: runSchedule },
  readDashboard: { weight: 6, work: readDashboard },
  readFilter: { weight: 2, work: readFilter },
  refreshDashboard: { weight: 2, work: refreshDashboard },
  saveDashboard: { weight: 2, work: saveDashboard },
  sendSnapshot: { weight: 1, work: sendSnapshot },
  ask: { weight: 1, work: ask },
  signInAndOut: { weight: 2, work: signInAndOut },
  revokeKey: { weight: 2, work: revokeKey },
  watchEvents: { weight: 1, work: watchEvents },
  readRows: { weight: 2, work: readRows },
  push: { weight: 3, work: push },
  readLists: { weight: 4, work: readLists },
  openPages: { weight: 1, work: openPages },
};

export { EVENT_STREAMS_END_MS, git };
