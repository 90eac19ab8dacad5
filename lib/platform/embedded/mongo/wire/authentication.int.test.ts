import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { MongoClient } from "mongodb";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { COMMANDS } from "../commands/table.ts";
import { type RunningStore, startStore } from "../server.ts";
import { backupStore, restoreStore } from "../storage/backup.ts";

const PASSWORD = "a long enough one";
const OPEN = ["hello", "ismaster", "ping", "saslStart", "saslContinue"];

let dir: string;
let store: RunningStore | undefined;
let shell: ChildProcess | undefined;
const clients: MongoClient[] = [];

beforeEach(() => {
  // Drivers treat a socket's path as a host name and lower-case it.
  dir = join(tmpdir(), `authentication-${randomBytes(8).toString("hex")}`);
  mkdirSync(dir, { mode: 0o700 });
});

afterEach(async () => {
  for (const client of clients.splice(0)) await client.close();
  await store?.close();
  store = undefined;
  if (shell !== undefined && shell.exitCode === null) {
    const ended = once(shell, "exit");
    shell.kill("SIGTERM");
    await ended;
  }
  shell = undefined;
  rmSync(dir, { recursive: true, force: true });
});

async function start(password = PASSWORD): Promise<RunningStore> {
  store = await startStore({ dataDir: dir, port: 0, password });
  return store;
}

function clientOf(uri: string): MongoClient {
  const client = new MongoClient(uri, { serverSelectionTimeoutMS: 5000, maxPoolSize: 1 });
  clients.push(client);
  return client;
}

/** Returns the store's URI with a user and password, or without. */
function uriOf({ services }: RunningStore, who = ""): string {
  return `mongodb://${who}${services.address}/?directConnection=true`;
}

const read = (client: MongoClient) => client.db("t").collection("c").findOne();

describe("on a port", () => {
  test("accepts a client with the password", async () => {
    const { uri } = await start();
    const client = clientOf(uri);
    await client.db("t").collection("c").insertOne({ a: 1 });
    expect(await read(client)).toMatchObject({ a: 1 });
  });

  test.each([
    ["another password", "millrace:a wrong enough one@"],
    ["another user", `root:${PASSWORD}@`],
    ["no password", "millrace:@"],
  ])("%s is refused (T38)", async (_name, who) => {
    const running = await start();
    await expect(read(clientOf(uriOf(running, encodeURI(who))))).rejects.toMatchObject({ code: 18 });
  });

  test("rejects mechanisms other than SCRAM-SHA-256 and users of other databases", async () => {
    const { uri } = await start();
    await expect(read(clientOf(`${uri}&authMechanism=SCRAM-SHA-1`))).rejects.toMatchObject({ code: 334 });
    await expect(read(clientOf(`${uri}&authMechanism=PLAIN`))).rejects.toMatchObject({ code: 334 });
    await expect(read(clientOf(`${uri}&authSource=t`))).rejects.toMatchObject({ code: 18 });
  });

  test("rejects every command before sign-in, except those of the sign-in (T38)", async () => {
    const client = clientOf(uriOf(await start()));
    for (const name of COMMANDS.keys()) {
      const outcome = await client
        .db("t")
        .command({ [name]: 1 })
        .then(
          () => "answered",
          (error) => error.code,
        );
      if (OPEN.includes(name)) expect([name, outcome]).not.toEqual([name, 13]);
      else expect([name, outcome]).toEqual([name, 13]);
    }
    await expect(client.db("t").command({ anything: 1 })).rejects.toMatchObject({ code: 59 });
  });

  test("accepts a sign-in that starts with the hello", async () => {
    const client = clientOf(uriOf(await start()));
    const speculativeAuthenticate = {
      saslStart: 1,
      mechanism: "SCRAM-SHA-256",
      payload: Buffer.from("n,,n=millrace,r=abc"),
      db: "admin",
      options: { skipEmptyExchange: true },
    };
    const hello = (more: object) =>
      client.db("admin").command({ hello: 1, saslSupportedMechs: "admin.millrace", ...more });
    const answer = await hello({ speculativeAuthenticate });
    expect(answer.saslSupportedMechs).toEqual(["SCRAM-SHA-256"]);
    expect(answer.speculativeAuthenticate).toMatchObject({ conversationId: expect.any(Number), done: false });
    expect(answer.speculativeAuthenticate.payload.toString()).toMatch(/^r=abc.+,s=.+,i=15000$/);
    const other = await hello({ speculativeAuthenticate: { ...speculativeAuthenticate, mechanism: "SCRAM-SHA-1" } });
    expect(other).not.toHaveProperty("speculativeAuthenticate");
    // An invalid proof ends the conversation.
    const { conversationId } = (await hello({ speculativeAuthenticate })).speculativeAuthenticate;
    const last = { saslContinue: 1, conversationId, payload: Buffer.from("c=biws,r=abc,p=AAAA") };
    await expect(client.db("admin").command(last)).rejects.toMatchObject({ code: 18 });
    await expect(client.db("admin").command(last)).rejects.toMatchObject({ code: 17 });
  });

  test("closes a connection that sends a large message before sign-in", async () => {
    const [host, port] = (await start()).services.address.split(":");
    const socket = connect(Number(port), host);
    await once(socket, "connect");
    const header = Buffer.alloc(16);
    header.writeInt32LE(1024 * 1024, 0);
    socket.write(header);
    socket.on("error", () => undefined);
    await once(socket, "close");
  });

  test("listens on loopback only", async () => {
    expect((await start()).services.address).toMatch(/^127\.0\.0\.1:/);
  });
});

describe("the password", () => {
  test("is generated and shown once, and stored in a form that can't sign in", async () => {
    const first = await startStore({ dataDir: dir, port: 0 });
    store = first;
    const password = new URL(first.shownUri).password;
    expect(password.length).toBeGreaterThanOrEqual(32);
    await read(clientOf(first.shownUri));
    const kept = readdirSync(join(dir, "store")).map((name) => readFileSync(join(dir, "store", name), "latin1"));
    expect(kept.filter((text) => text.includes(password))).toEqual([]);
    await first.close();

    const second = await startStore({ dataDir: dir, port: 0 });
    store = second;
    expect(second.shownUri).toContain("$STORE_PASSWORD");
    await read(clientOf(uriOf(second, `millrace:${password}@`)));
  });

  test("from the settings is not shown, and replaces the previous one", async () => {
    const first = await start();
    expect(first.shownUri).not.toContain(encodeURIComponent(PASSWORD));
    await first.close();
    const second = await startStore({ dataDir: dir, port: 0, password: "quite another one" });
    store = second;
    await expect(read(clientOf(uriOf(second, `millrace:${encodeURIComponent(PASSWORD)}@`)))).rejects.toThrow();
    await read(clientOf(second.uri));
  });

  test("is not required on a socket, which only its owner can open", async () => {
    const socketPath = join(dir, "s.sock");
    store = await startStore({ dataDir: dir, socketPath });
    await read(clientOf(store.uri));
    expect(statSync(socketPath).mode & 0o077).toBe(0);
    expect(readdirSync(join(dir, "store"))).not.toContain("credentials.json");
  });

  test("with a damaged file stops the start with instructions", async () => {
    await (await start()).close();
    writeFileSync(join(dir, "store", "credentials.json"), "{}");
    await expect(startStore({ dataDir: dir, port: 0 })).rejects.toThrow("Remove it");
    store = undefined;
  });
});

describe("files", () => {
  function modes(): Record<string, string> {
    const folder = join(dir, "store");
    const of = (path: string) => (statSync(path).mode & 0o777).toString(8);
    return Object.fromEntries([["", of(folder)], ...readdirSync(folder).map((name) => [name, of(join(folder, name))])]);
  }

  function expectOwners(): void {
    const { "": folder, ...files } = modes();
    expect(folder).toBe("700");
    expect(Object.keys(files)).toEqual(expect.arrayContaining(["credentials.json", "millrace.db", "millrace.db-wal"]));
    expect(new Set(Object.values(files))).toEqual(new Set(["600"]));
  }

  test("have the owner's permissions only, with every umask", async () => {
    const entry = fileURLToPath(new URL("../main.ts", import.meta.url));
    shell = spawn("sh", ["-c", 'umask 000; exec "$0" "$@"', process.execPath, entry, "--data", dir, "--port", "0"], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const [printed] = await once(shell.stdout as Readable, "data");
    await clientOf(String(printed).trim()).db("t").collection("c").insertOne({ a: 1 });
    expectOwners();
  });

  test("of an earlier version get them", async () => {
    await (await start()).close();
    chmodSync(join(dir, "store"), 0o755);
    for (const name of readdirSync(join(dir, "store"))) chmodSync(join(dir, "store", name), 0o644);
    await read(clientOf((await start()).uri));
    expectOwners();
  });

  test("of a backup and a restore have them too", async () => {
    await (await start()).close();
    const file = join(dir, "backup");
    backupStore(dir, file);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    chmodSync(file, 0o644);
    restoreStore(dir, file, { overwrite: true });
    expect(statSync(join(dir, "store", "millrace.db")).mode & 0o777).toBe(0o600);
  });
});
