import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { ObjectId } from "mongodb";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { mayOnlyRead } from "@/lib/features/connections/model";
import { CONSOLES } from "@/lib/features/consoles/item-kind";
import { createConsole, getConsole, updateConsole } from "@/lib/features/consoles/service";
import { listHistory } from "@/lib/features/folders/history";
import { accessOf } from "@/lib/features/folders/model";
import { listHeads } from "@/lib/features/repository/refs";
import { readMain } from "@/lib/features/repository/service";
import { beginRun } from "@/lib/features/runs/service";
import { isReadOnly, toKeyAccess } from "@/lib/platform/access/caller";
import { isAtLeast, type Role } from "@/lib/platform/access/roles";
import { database } from "@/lib/platform/db/client";
import { type SchemaStampDoc, collections as stored } from "@/lib/platform/db/collections";
import { NewerSchema } from "@/lib/platform/db/newer-schema";
import { databaseReady } from "@/lib/platform/db/ready";
import { migrateSchema, refuseNewerSchema, type SchemaMigration } from "@/lib/platform/db/schema-migration";
import { SCHEMA_VERSION } from "@/lib/platform/db/schema-version";
import { version } from "@/package.json";
import { bundleProcess } from "@/test/bundle";
import { call } from "@/test/client";
import { takeOwnDatabase } from "@/test/database";
import { callerIn } from "@/test/fixtures/access/caller";
import type { MigrateTask } from "@/test/fixtures/instance/migrate-process";
import { type Person, seedKey, seedMember, seedPerson } from "@/test/seed";
import { collections } from "./collections";
import { prepareStore } from "./prepare-store";
import { SCHEMA_MIGRATIONS } from "./schema-migrations";

const own = takeOwnDatabase();
let migrator: string;
let ana: Person;
beforeAll(async () => {
  migrator = await bundleProcess("test/fixtures/instance/migrate-process.ts");
  await databaseReady();
  ana = await seedPerson("Ana");
});
afterAll(async () => {
  rmSync(migrator, { force: true });
  await own.drop();
});

const stamp = () => stored.installation().findOne({ _id: "schema" }) as Promise<SchemaStampDoc | null>;
const putStamp = (at: number, millrace = "9.9.9") =>
  stored.installation().replaceOne({ _id: "schema" }, { version: at, millrace }, { upsert: true });

describe("the schema version of the store", () => {
  beforeEach(() => putStamp(SCHEMA_VERSION, version));

  it("C28 is the number of migrations, in a new store too", async () => {
    expect(SCHEMA_MIGRATIONS).toHaveLength(SCHEMA_VERSION);
    await stored.installation().deleteOne({ _id: "schema" });
    prepareStore();
    await databaseReady();
    expect(await stamp()).toEqual({ _id: "schema", version: SCHEMA_VERSION, millrace: version });
  });

  it("C28 is refused when newer, with both versions and instructions", async () => {
    await putStamp(SCHEMA_VERSION + 1);
    const known = SCHEMA_VERSION;
    for (const start of [() => refuseNewerSchema(known), () => migrateSchema(SCHEMA_MIGRATIONS)]) {
      const error = await start().catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(NewerSchema);
      expect(String(error)).toContain(`schema version ${known + 1}, written by Millrace 9.9.9`);
      expect(String(error)).toContain(`Millrace ${version} supports schema versions up to ${known}`);
      expect(String(error)).toContain("Start Millrace 9.9.9 or later, or restore a backup");
    }
    expect((await stamp())?.version).toBe(known + 1);
  });

  it("C28 answers 503 with both versions where a start can't refuse, as on Vercel", async () => {
    await putStamp(SCHEMA_VERSION + 1);
    prepareStore();
    const answer = await call("GET", "/api/auth/me", ana);
    expect([answer.status, answer.json.code]).toEqual([503, "unavailable"]);
    expect(answer.json.error).toMatch(/written by Millrace 9\.9\.9.*supports schema versions up to/);
    await putStamp(SCHEMA_VERSION, version);
    expect((await call("GET", "/api/auth/me", ana)).status).toBe(200);
  });

  it("C28 gives older API keys full access in the first migration", async () => {
    const old = await seedKey(ana.workspaceId, ana);
    await collections.apiKeys().updateMany({}, { $unset: { access: true } });
    await putStamp(0);
    for (let times = 0; times < 2; times++) {
      await migrateSchema(SCHEMA_MIGRATIONS);
      await SCHEMA_MIGRATIONS[0]?.run(new AbortController().signal);
    }
    const body = { name: "old", content: "" };
    const answer = await call("POST", `/api/workspaces/${ana.workspaceId}/consoles`, { key: old, body });
    expect(answer.status).toBe(201);
  });

  it("makes removals, bindings and answers of schema version 2 due for another server", async () => {
    const workspaceId = new ObjectId();
    const old = [
      [collections.appRemovals, { slug: "gone" }],
      [collections.appBindingSets, { appId: new ObjectId(), sha: "a", unsettledSince: new Date(0) }],
      [collections.chatMessages, { chatId: new ObjectId(), seq: 1, state: "running", aliveAt: new Date(0) }],
    ] as const;
    const ids = old.map(() => new ObjectId());
    for (const [n, [{ collectionName }, fields]] of old.entries())
      await database()
        .collection(collectionName)
        .insertOne({ _id: ids[n], workspaceId, ...fields });
    for (let times = 0; times < 2; times++) await SCHEMA_MIGRATIONS[2]?.run(new AbortController().signal);
    for (const [n, [{ collectionName }]] of old.entries()) {
      const doc = await database().collection(collectionName).findOne({ _id: ids[n] });
      expect(doc?.work).toMatchObject({ dueAt: expect.any(Date), starts: 0, lapses: 0 });
      expect(doc).not.toHaveProperty("unsettledSince");
      expect(doc).not.toHaveProperty("aliveAt");
    }
  });

  describe("the journals of schema version 3", () => {
    const migrateTwice = async () => {
      for (let times = 0; times < 2; times++) await SCHEMA_MIGRATIONS[3]?.run(new AbortController().signal);
    };

    it("give their numbers to the main branches, and their open change is completed", async () => {
      const caller = callerIn(new ObjectId());
      const { workspaceId } = caller;
      const make = async (name: string, access: "workspace" | "private") =>
        new ObjectId((await createConsole(caller, { name, content: "old", access })).id);
      const [saved, moved, own] = [
        await make("saved", "workspace"),
        await make("moved", "workspace"),
        await make("own", "private"),
      ];
      const { _id: privateId } = (await collections.privateRepositories().findOne({ workspaceId })) ?? {};
      await collections.gitRefs().updateOne({ workspaceId }, { $unset: { seq: true } });
      const change = (id: ObjectId, set: object) => ({ kind: "update", id, set });
      const files = (fileId: ObjectId, path: string) => ({
        kind: "put",
        path,
        content: "new",
        fileId: fileId.toHexString(),
      });
      const intent = {
        ...{
          userId: caller.user._id,
          author: { name: "Ana", email: "ana@example.com" },
          message: "Save",
          at: new Date(),
        },
        writes: [
          change(saved, { content: "new", version: 2 }),
          change(moved, { path: "new", file: "consoles/new.sql", name: "new", key: "new.sql", version: 2 }),
          change(own, { content: "new", version: 2 }),
        ],
        parts: [
          {
            repositoryId: workspaceId,
            changes: [
              files(saved, "consoles/saved.sql"),
              { kind: "move", from: "consoles/moved.sql", to: "consoles/new.sql", fileId: moved.toHexString() },
            ],
          },
          { repositoryId: privateId, changes: [files(own, "consoles/own.sql")] },
        ],
      };
      const journals = {
        console_journals: { seq: 7, isOpen: true, intent },
        dashboard_journals: { seq: 9, isOpen: false },
      };
      for (const [name, journal] of Object.entries(journals))
        await database()
          .collection(name)
          .insertOne({ workspaceId, ...journal });
      await migrateTwice();

      expect(await readMain(workspaceId)).toMatchObject({ seq: 9, open: null });
      const names = (await database().listCollections().toArray()).map(({ name }) => name);
      expect(names.filter((name) => name.endsWith("_journals"))).toEqual([]);
      for (const [id, path, content] of [
        [saved, "saved", "new"],
        [moved, "new", "old"],
        [own, "own", "new"],
      ] as const) {
        expect(await getConsole(caller, id)).toMatchObject({ path, content, version: 2 });
        const { items } = await listHistory(caller, CONSOLES, id, { limit: 50 });
        expect(items.map(({ subject }) => subject)).toEqual(["Save", expect.stringMatching(/^Create /)]);
        expect(await updateConsole(caller, id, { version: 2, content: "newest" })).toMatchObject({ version: 3 });
      }
    });

    it("of a workspace without a commit give it a main without one, which its first commit moves", async () => {
      const caller = callerIn(new ObjectId());
      const { workspaceId } = caller;
      await database().collection("dashboard_journals").insertOne({ workspaceId, seq: 3, isOpen: false });
      await migrateTwice();
      expect(await readMain(workspaceId)).toEqual({ oid: null, seq: 3, open: null });
      expect(await listHeads(workspaceId)).toEqual([]);
      await createConsole(caller, { name: "first", content: "x", access: "workspace" });
      expect(await listHeads(workspaceId)).toMatchObject([{ name: "main" }]);
    });
  });

  describe("unfinished work of schema version 1", () => {
    const workspaceId = new ObjectId();
    const token = new ObjectId();
    const PAST = new Date("2026-11-01T00:00:00Z");
    const migrateTwice = async () => {
      for (let times = 0; times < 2; times++) await SCHEMA_MIGRATIONS[1]?.run(new AbortController().signal);
    };
    /** Inserts documents as version 1 stored them. */
    const insertOld = async (collectionName: string, fields: Record<string, unknown>) => {
      const _id = new ObjectId();
      await database()
        .collection(collectionName)
        .insertOne({ _id, workspaceId, ...fields });
      return _id;
    };

    it("becomes runs that are recovered, and keeps their counts", async () => {
      const none = { createdAt: PAST, completedAt: null, triggeredBy: null, entities: [], cancelRequestedAt: null };
      const old = { ...none, resourceType: "flow", isUnfinished: true, status: "running" };
      const held = { ...old, resourceId: new ObjectId(), key: "a", startedAt: PAST, holder: token, dueAt: PAST };
      const runId = await insertOld("runs", { ...held, starts: 3, lapses: 2, fruitlessLapses: 1, nextLookAt: PAST });
      const waiting = { ...old, resourceId: new ObjectId(), key: "b", status: "queued", startedAt: null, dueAt: PAST };
      const queuedId = await insertOld("runs", { ...waiting, starts: 0, lapses: 0 });
      await migrateTwice();
      expect(await collections.runs().findOne({ _id: runId })).toMatchObject({
        work: { dueAt: PAST, claim: { token, at: PAST }, starts: 3, lapses: 2, fruitlessLapses: 1, wakes: 0 },
      });
      expect(await collections.runs().findOne({ _id: runId })).not.toHaveProperty("holder");
      expect((await collections.runs().findOne({ _id: queuedId }))?.work).toEqual({
        ...{ dueAt: PAST, starts: 0, lapses: 0, fruitlessLapses: 0, wakes: 0 },
      });
      expect((await beginRun(workspaceId, runId))?.run.work).toMatchObject({ starts: 4, lapses: 3 });
    });

    it("becomes operations, refreshes and deliveries that other servers take over", async () => {
      const appId = new ObjectId();
      const operationId = await insertOld("app_operations", {
        ...{ appId, state: "running", runsFor: appId, until: PAST, createdAt: PAST, steps: [] },
      });
      const datasetId = await insertOld("datasets", {
        ...{ kind: "app", ownerId: appId, name: "one" },
        refresh: { sourceKey: "key", holder: token, since: PAST, until: PAST },
      });
      const later = new Date(Date.now() + 3_600_000);
      const delivery = { target: "host", status: "retrying", attempts: 2, roundAttempts: 2, attemptLog: [], sweeps: 1 };
      const pausedId = await insertOld("deliveries", { ...delivery, key: "a", dueAt: later });
      const inFlight = { holder: token, at: PAST, until: PAST };
      const sentId = await insertOld("deliveries", { ...delivery, key: "b", dueAt: PAST, inFlight });
      await migrateTwice();
      const counts = { lapses: 0, fruitlessLapses: 0 };
      expect((await collections.appOperations().findOne({ _id: operationId }))?.work).toMatchObject({
        ...{ ...counts, dueAt: PAST, claim: { at: PAST }, starts: 1, wakes: 0 },
      });
      const dataset = await collections.datasets().findOne({ _id: datasetId });
      expect(dataset?.refresh).toEqual({ sourceKey: "key", since: PAST });
      expect(dataset?.work).toEqual({ ...counts, dueAt: PAST, claim: { token, at: PAST }, starts: 1, wakes: 0 });
      const paused = await collections.deliveries().findOne({ _id: pausedId });
      expect(paused?.work).toEqual({ ...counts, dueAt: later, starts: 2, wakes: 1 });
      const sent = await collections.deliveries().findOne({ _id: sentId });
      expect(sent?.work).toEqual({ ...counts, dueAt: PAST, claim: { token, at: PAST }, starts: 2, wakes: 1 });
      expect(sent).not.toHaveProperty("inFlight");
    });
  });
});

describe("migrating on several servers", () => {
  const forkMigrator = (task: MigrateTask): ChildProcess =>
    fork(migrator, [JSON.stringify(task)], { stdio: ["ignore", "ignore", "inherit", "ipc"] });
  const numbers = () => database().collection<{ _id: string; by: number[] }>("numbers");
  beforeEach(async () => {
    await stored.installation().deleteMany({});
    await numbers().deleteMany({});
  });
  const migrated = (child: ChildProcess) =>
    new Promise<void>((resolve) => child.on("message", (message) => message === "migrated" && resolve()));

  it("C28 lets one of three migrate, while the others wait", async () => {
    const children = Array.from({ length: 3 }, () => forkMigrator({ leaseMs: 2000, stepMs: 5 }));
    await Promise.all(children.map(migrated));
    const docs = await numbers().find().toArray();
    expect(docs).toHaveLength(30);
    expect(docs.filter(({ by }) => by.length !== 1)).toEqual([]);
    expect(await stamp()).toMatchObject({ version: 3 });
    expect((await stamp())?.lock).toBeUndefined();
  });

  const killedAt = async (steps: number) => {
    const first = forkMigrator({ leaseMs: 300, stepMs: 5 });
    const gone = once(first, "exit");
    let seen = 0;
    first.on("message", () => ++seen === steps && first.kill("SIGKILL"));
    await gone;
    expect((await stamp())?.lock).toBeDefined();
    const others = [1, 2].map(() => forkMigrator({ leaseMs: 300, stepMs: 0 }));
    await Promise.all(others.map(migrated));
    expect(await numbers().countDocuments()).toBe(30);
    expect(await stamp()).toMatchObject({ version: 3 });
  };
  it.each([1, 15])("C28 is continued by another server when one is killed at step %i", killedAt);
  it.each([2, 5, 9, 10, 11, 20, 21, 29, 30])(
    "C28 is continued by another server when one is killed at step %i (long)",
    { tags: ["long"] },
    killedAt,
  );

  it("C28 stops a server whose lease was given to another one", async () => {
    const began = Promise.withResolvers<void>();
    const goOn = Promise.withResolvers<void>();
    let isLost = false;
    const slow: SchemaMigration = {
      name: "slow",
      run: async (signal) => {
        began.resolve();
        await goOn.promise;
        isLost = signal.aborted;
        signal.throwIfAborted();
      },
    };
    const over = migrateSchema([slow], { leaseMs: 60, pollMs: 5 });
    await began.promise;
    // Another server took over and has finished.
    await putStamp(1, version);
    await expect.poll(async () => (await stamp())?.lock).toBeUndefined();
    setTimeout(goOn.resolve, 100);
    await over;
    expect(isLost).toBe(true);
    expect(await stamp()).toMatchObject({ version: 1 });
  });

  it("C28 releases its lock when a migration fails, and the next start retries", async () => {
    let fails = true;
    const flaky: SchemaMigration = {
      name: "flaky",
      run: async () => {
        if (fails) throw new Error("no");
      },
    };
    await expect(migrateSchema([flaky])).rejects.toThrow("no");
    expect(await stamp()).toMatchObject({ version: 0 });
    expect((await stamp())?.lock).toBeUndefined();
    fails = false;
    await migrateSchema([flaky]);
    expect(await stamp()).toMatchObject({ version: 1 });
  });
});

describe("a stored value unknown to this version", () => {
  const unknown = ["viewer", "superowner", "", "OWNER", "toString", null, undefined, 1];

  it.each(unknown)("C28 grants nothing as a role: %j", (role) => {
    for (const needed of ["owner", "admin", "member"] as const) expect(isAtLeast(role as Role, needed)).toBe(false);
  });

  it.each(["write", "readwrite", "FULL", "", "scoped:consoles", null, undefined, true])(
    "C28 is read-only as a key's access: %j",
    (access) => {
      expect(toKeyAccess(access)).toBe("read");
      expect(isReadOnly({ via: { kind: "key", access } as never })).toBe(true);
    },
  );

  it.each(["false", 0, null, undefined, {}, true])("C28 is read-only as a connection's readOnly: %j", (readOnly) => {
    expect(mayOnlyRead({ readOnly } as never)).toBe(true);
  });

  it.each(["everyone", "public", "", "WORKSPACE", null, undefined])("C28 is private as a space: %j", (space) => {
    expect(accessOf(space as never)).toBe("private");
  });

  it("C28 denies access to a member of an unknown role and their key", async () => {
    const { workspaceId } = ana;
    const bob = await seedMember(workspaceId, "member");
    const key = await seedKey(workspaceId, bob);
    const path = `/api/workspaces/${workspaceId}/consoles`;
    expect((await call("GET", path, bob)).status).toBe(200);
    await collections
      .memberships()
      .updateOne(
        { userId: new ObjectId(bob.id), workspaceId: new ObjectId(workspaceId) },
        { $set: { role: "viewer" as Role } },
      );
    expect((await call("GET", path, bob)).status).toBe(403);
    expect((await call("GET", path, { key })).status).toBe(401);
  });

  it("C28 lets a key of unknown access read, and rejects its writes", async () => {
    const { workspaceId } = ana;
    const key = await seedKey(workspaceId, ana, "scoped" as never);
    const path = `/api/workspaces/${workspaceId}/consoles`;
    expect((await call("GET", path, { key })).status).toBe(200);
    expect((await call("POST", path, { key, body: { name: "n", content: "" } })).status).toBe(403);
  });
});
