import { ObjectId } from "mongodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ConnectionDoc } from "@/lib/features/connections/model";
import { writeNow } from "@/lib/features/query/history-writer";
import { runQuery } from "@/lib/features/query/service";
import { collections as resultCollections } from "@/lib/features/results/collections";
import { aggregateSpec } from "@/lib/features/results/crossfilter/spec";
import { toAggregateStatement } from "@/lib/features/results/crossfilter/statement";
import { queryTables } from "@/lib/features/results/crossfilter/tables";
import { databaseReady } from "@/lib/platform/db/ready";
import { closeServerMember } from "@/lib/platform/process/server-context";
import { takeOwnDatabase } from "@/test/database";
import { callerIn } from "@/test/fixtures/access/caller";
import { takeOwnDataDir } from "@/test/fixtures/connections/drivers/duckdb/open-file";
import { ADHOC } from "@/test/fixtures/query/origins";
import { lapsedWork } from "@/test/fixtures/work/lapsed";
import { collections } from "./collections";
import type { DatasetPlace } from "./model";
import { type Dataset, dropDatasets, readDatasets, refreshDataset, type SeenDataset, toSourceKey } from "./service";

const dataDir = takeOwnDataDir();
const database = takeOwnDatabase();
const workspaceId = new ObjectId();
const userId = new ObjectId();
const caller = callerIn(workspaceId, { _id: userId, role: "admin" });
const ANY = new AbortController().signal;
const connection = connectionTo(true);

beforeAll(async () => {
  await databaseReady();
  await write("create table sales as select i as id, (i % 10)::decimal(10,2) as price from range(1000) t(i)");
});
afterAll(async () => {
  await closeServerMember("crossfilterTables");
  await closeServerMember("dataSources");
  await writeNow();
  await database.drop();
  dataDir.remove();
});

function connectionTo(readOnly: boolean): ConnectionDoc {
  const now = new Date();
  return {
    _id: new ObjectId(),
    workspaceId,
    name: "sales",
    type: "duckdb",
    category: "database",
    readOnly,
    config: { file: "datasets.duckdb" },
    secrets: {},
    status: "ok",
    lastTestedAt: null,
    lastError: null,
    createdBy: userId,
    createdAt: now,
    updatedAt: now,
  };
}

const write = (query: string) =>
  runQuery(caller, { connection: connectionTo(false), origin: ADHOC, statement: { query }, signal: ANY });
const newPlace = (name = "sales"): DatasetPlace => ({
  owner: { workspaceId, kind: "dashboard", id: new ObjectId() },
  name,
});
const from = (query: string) => ({ connection, origin: ADHOC, statement: { query } });
const refresh = (place: DatasetPlace, query: string, signal = ANY, ...rest: [Parameters<typeof refreshDataset>[4]?]) =>
  refreshDataset(caller, place, from(query), signal, ...rest);
const look = async (place: DatasetPlace, query: string): Promise<Dataset | undefined> =>
  (await readDatasets(place.owner, new Map([[place.name, toSourceKey(caller, from(query))]]))).get(place.name);
const sumOf = async ({ kept }: Dataset) => {
  if (!kept) throw new Error("Nothing is kept.");
  const spec = aggregateSpec.parse({ measures: [{ op: "count" }, { field: "price", op: "sum" }] });
  const { rows } = await queryTables(
    kept.table,
    "UTC",
    (table, fields) => toAggregateStatement(table, fields, spec, []),
    ANY,
  );
  return rows[0];
};
const resultsKept = () => resultCollections.results().countDocuments({ workspaceId });

describe("stored rows", () => {
  const DAY_MS = 24 * 60 * 60 * 1000;
  const query = "select * from sales";
  const docOf = (place: DatasetPlace) => collections.datasets().findOne({ workspaceId, ownerId: place.owner.id });
  const ends = async (place: DatasetPlace) => {
    const doc = await docOf(place);
    const resultId = doc?.kept?.resultId ?? new ObjectId();
    const chunks = await resultCollections.resultChunks().find({ workspaceId, resultId }).toArray();
    const result = await resultCollections.results().findOne({ workspaceId, _id: resultId });
    return [doc?.kept?.until, result?.expiresAt, ...chunks.map(({ expiresAt }) => expiresAt)].map((each) =>
      each?.getTime(),
    );
  };
  /** Makes the last use of a dataset appear to be that many days ago. */
  const letAge = async (place: DatasetPlace, days: number) => {
    const until = new Date(Date.now() + (90 - days) * DAY_MS);
    const doc = await docOf(place);
    const resultId = doc?.kept?.resultId ?? new ObjectId();
    await collections.datasets().updateOne({ _id: doc?._id, workspaceId }, { $set: { "kept.until": until } });
    await resultCollections.results().updateOne({ _id: resultId, workspaceId }, { $set: { expiresAt: until } });
    await resultCollections.resultChunks().updateMany({ workspaceId, resultId }, { $set: { expiresAt: until } });
    return until.getTime();
  };

  it("stay while they are used, recorded once a day", async () => {
    const place = newPlace();
    await refresh(place, query);
    const [fresh] = await ends(place);
    await look(place, query);
    expect(new Set(await ends(place))).toEqual(new Set([fresh]));
    const old = await letAge(place, 80);
    await Promise.all([look(place, query), look(place, query), look(place, query)]);
    for (const end of await ends(place)) expect(end).toBeGreaterThan(old + 79 * DAY_MS);
    const after = await ends(place);
    expect(await sumOf((await look(place, query)) as Dataset)).toEqual([1000, "4500.00"]);
    expect(await ends(place)).toEqual(after);
  });

  it("not used in 90 days are deleted, and read again", async () => {
    const place = newPlace();
    const { kept } = await refresh(place, query);
    await letAge(place, 90);
    expect((await look(place, query))?.kept).toBeNull();
    // The store expires them; a look-up does not restore them.
    for (const end of await ends(place)) expect(end ?? 0).toBeLessThanOrEqual(Date.now());
    const again = await refresh(place, query);
    expect(again.kept?.table.id).not.toBe(kept?.table.id);
    expect(await sumOf((await look(place, query)) as Dataset)).toEqual([1000, "4500.00"]);
  });
});

describe("a refresh", () => {
  it("stores rows for cross-filtering, and replaces earlier ones", async () => {
    const place = newPlace();
    const query = "select * from sales";
    expect(await look(place, query)).toEqual({ kept: null, failure: null, isRefreshing: false, brokeOffAt: null });
    const first = await refresh(place, query);
    expect(first.kept).toMatchObject({ rowCount: 1000, truncated: false });
    expect(await sumOf(first)).toEqual([1000, "4500.00"]);
    const before = await resultsKept();
    await write("insert into sales values (1000, 7.25)");
    const second = await refresh(place, query);
    expect(await sumOf(second)).toEqual([1001, "4507.25"]);
    expect(second.kept?.at.getTime()).toBeGreaterThan(first.kept?.at.getTime() ?? 0);
    expect(await resultsKept()).toBe(before);
    await write("delete from sales where id = 1000");
  });

  it("is one for concurrent requests", async () => {
    const place = newPlace();
    // Long enough for all to have called before the first finishes: later callers get newer rows.
    const query = "select sum(i * i % 7) as n, random() as lot from range(80000000) t(i)";
    const all = await Promise.all(Array.from({ length: 8 }, () => refresh(place, query)));
    expect(new Set(all.map(({ kept }) => kept?.table.id)).size).toBe(1);
  });

  it("that fails keeps the old rows and the reason until one succeeds", async () => {
    const place = newPlace();
    await write("create table fragile as select 1 as n");
    const query = "select n from fragile";
    const { kept } = await refresh(place, query);
    await write("drop table fragile");
    await expect(refresh(place, query)).rejects.toThrow(/fragile/);
    const stands = await look(place, query);
    expect(stands?.kept?.table.id).toBe(kept?.table.id);
    expect(stands?.failure?.message).toMatch(/fragile/);
    await write("create table fragile as select 2 as n");
    expect((await refresh(place, query)).failure).toBeNull();
  });

  it("writes nothing, on any connection", async () => {
    const source = {
      connection: connectionTo(false),
      origin: ADHOC,
      statement: { query: "delete from sales returning id" },
    };
    await expect(refreshDataset(caller, newPlace(), source, ANY)).rejects.toMatchObject({ kind: "read_only" });
    expect((await write("select count(*) as n from sales")).rows).toEqual([{ n: 1000 }]);
  });

  it("stores the first rows of too many, and reports more", async () => {
    const cut = await refresh(newPlace(), "select * from range(100000)", ANY, {
      rows: 10,
      bytes: 1024 * 1024,
      workspaceBytes: 1024 ** 3,
    });
    expect(cut.kept).toMatchObject({ rowCount: 10, truncated: true });
    const large = await refresh(newPlace(), "select range, md5(range::varchar) from range(1000000)", ANY, {
      rows: 1_000_000,
      bytes: 100_000,
      workspaceBytes: 1024 ** 3,
    });
    expect(large.kept?.truncated).toBe(true);
    expect(large.kept?.rowCount).toBeLessThan(1_000_000);
  });

  it("ends when its caller has left, without a failure", async () => {
    const place = newPlace();
    const query = "select count(*) from range(1000000000) a, range(1000000000) b";
    const left = new AbortController();
    const asked = refresh(place, query, left.signal);
    setTimeout(() => left.abort(new Error("left")), 200);
    await expect(asked).rejects.toThrow();
    expect(await look(place, query)).toEqual({ kept: null, failure: null, isRefreshing: false, brokeOffAt: null });
  });

  it("continues for waiting callers when the first has left", { tags: ["long"] }, async () => {
    const place = newPlace();
    const query = "select sum(i * i % 7) as n from range(300000000) t(i)";
    const left = new AbortController();
    const first = refresh(place, query, left.signal);
    await expect.poll(() => look(place, query)).toMatchObject({ isRefreshing: true });
    const second = refresh(place, query);
    left.abort(new Error("left"));
    await expect(first).rejects.toThrow();
    expect((await second).kept?.rowCount).toBe(1);
  });

  describe("of callers that have seen a state", () => {
    const LOTS = "select random() as lot";
    const NEVER: SeenDataset = { kept: null, failure: null };
    const view = async (place: DatasetPlace, query: string, pause = Promise.resolve()) => {
      const seen = await look(place, query);
      await pause;
      return refreshDataset(caller, place, from(query), ANY, undefined, seen);
    };
    const idOf = (dataset: Dataset | undefined) => dataset?.kept?.table.id;

    it.each([1, 2, 10])("C38 reads the source once for ten first viewers, %i of them after the read", async (late) => {
      const place = newPlace();
      const gate = Promise.withResolvers<void>();
      const pauses = Array.from({ length: 10 }, (_, index) => (index < late ? gate.promise : undefined));
      const all = pauses.map((pause) => view(place, LOTS, pause));
      const first = late === 10 ? await view(place, LOTS) : await all.at(-1);
      gate.resolve();
      expect(new Set((await Promise.all(all)).map(idOf))).toEqual(new Set([idOf(first)]));
    });

    it("C38 reads a stale dataset once for all who saw the same rows", async () => {
      const place = newPlace();
      const old = await refresh(place, LOTS);
      const gate = Promise.withResolvers<void>();
      const late = [view(place, LOTS, gate.promise), view(place, LOTS, gate.promise)];
      const read = await view(place, LOTS);
      gate.resolve();
      expect((await Promise.all(late)).map(idOf)).toEqual([idOf(read), idOf(read)]);
      expect(idOf(read)).not.toBe(idOf(old));
    });

    it("C38 throws a later failure without querying the source again", async () => {
      const place = newPlace();
      const query = "select * from lots_38";
      await expect(view(place, query)).rejects.toThrow(/lots_38/);
      await write("create table lots_38 as select 1 as n");
      await expect(refreshDataset(caller, place, from(query), ANY, undefined, NEVER)).rejects.toThrow(/lots_38/);
      expect((await view(place, query)).kept?.rowCount).toBe(1);
    });

    it.each<[string, (place: DatasetPlace) => Promise<SeenDataset | undefined>, boolean]>([
      ["a caller that saw no rows", async () => NEVER, false],
      ["a caller that saw older rows", async () => ({ ...NEVER, kept: { at: new Date(0) } }), false],
      ["a caller that saw these rows", (place) => look(place, LOTS), true],
      ["a caller that asks for new rows", async () => undefined, true],
      ["a caller that saw rows which are dropped", async (place) => dropped(place), true],
    ])("C38 decides by the state whether %s reads again", async (_, seenOf, isRead) => {
      const place = newPlace();
      const first = await refresh(place, LOTS);
      const seen = await seenOf(place);
      const second = await refreshDataset(caller, place, from(LOTS), ANY, undefined, seen);
      expect(idOf(second) !== idOf(first)).toBe(isRead);
    });
    const dropped = async (place: DatasetPlace) => {
      const seen = await look(place, LOTS);
      await dropDatasets(place.owner);
      return seen;
    };

    it("C38 reads another query of the same name, whatever is stored of the first", async () => {
      const place = newPlace();
      await refresh(place, "select 1 as n, 'other' as text");
      const all = await Promise.all(Array.from({ length: 5 }, () => view(place, LOTS)));
      expect(new Set(all.map(idOf)).size).toBe(1);
      expect(all[0]?.kept?.fields.map(({ name }) => name)).toEqual(["lot"]);
    });

    it("C38 reads again when the first viewer leaves before the end", { tags: ["long"] }, async () => {
      const place = newPlace();
      const left = new AbortController();
      const query = "select sum(i * i % 7) as n from range(300000000) t(i)";
      const first = refreshDataset(caller, place, from(query), left.signal, undefined, NEVER);
      await expect.poll(() => look(place, query)).toMatchObject({ isRefreshing: true });
      const others = Array.from({ length: 3 }, () => view(place, query));
      left.abort(new Error("left"));
      await expect(first).rejects.toThrow();
      expect(new Set((await Promise.all(others)).map(idOf)).size).toBe(1);
    });
  });

  it("is taken over when its reader was killed and has been silent for long", async () => {
    const place = newPlace();
    const query = "select 1 as n";
    const { owner, name } = place;
    const dead = { sourceKey: toSourceKey(caller, from(query)), since: new Date(0) };
    const key = { workspaceId, kind: owner.kind, ownerId: owner.id, name };
    await collections.datasets().insertOne({ _id: new ObjectId(), ...key, refresh: dead, work: lapsedWork() });
    expect(await look(place, query)).toMatchObject({ isRefreshing: false, brokeOffAt: new Date(0) });
    expect((await refresh(place, query)).kept?.rowCount).toBe(1);
  });

  it("of another query takes over, without rows of the previous one", async () => {
    const place = newPlace();
    await refresh(place, "select 1 as n");
    expect((await look(place, "select 2 as n"))?.kept).toBeNull();
    const second = await refresh(place, "select 2 as n");
    expect(second.kept?.rowCount).toBe(1);
    expect((await look(place, "select 1 as n"))?.kept).toBeNull();
  });
});

describe("stored data", () => {
  it("is deleted with its owner, and others' stays", async () => {
    const [mine, other] = [newPlace(), newPlace()];
    await Promise.all([refresh(mine, "select 1 as n"), refresh(other, "select 1 as n")]);
    const before = await resultsKept();
    await dropDatasets(mine.owner);
    expect(await resultsKept()).toBe(before - 1);
    expect((await look(mine, "select 1 as n"))?.kept).toBeNull();
    expect((await look(other, "select 1 as n"))?.kept).not.toBeNull();
  });

  it("of a full workspace is evicted from the oldest on", async () => {
    const lone = callerIn(new ObjectId(), { _id: userId, role: "admin" });
    const owner = { workspaceId: lone.workspaceId, kind: "dashboard" as const, id: new ObjectId() };
    const source = { ...from("select 1 as n"), connection: { ...connection, workspaceId: lone.workspaceId } };
    source.statement = { query: "select i, md5(i::varchar) from range(1000) t(i)" };
    const keep = (name: string, workspaceBytes: number) =>
      refreshDataset(lone, { owner, name }, source, ANY, { rows: 1e6, bytes: 1e9, workspaceBytes });
    const bytes = (await keep("a", 1e9)).kept?.bytes ?? 0;
    for (const name of ["b", "c"]) await keep(name, bytes * 2);
    const key = toSourceKey(lone, source);
    const stand = await readDatasets(owner, new Map(["a", "b", "c"].map((name) => [name, key])));
    expect([...stand].map(([name, { kept }]) => [name, kept !== null])).toEqual([
      ["a", false],
      ["b", true],
      ["c", true],
    ]);
  });
});
