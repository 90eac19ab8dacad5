import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import Database from "better-sqlite3";
import { MongoClient } from "mongodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { forkStore, startTestStore } from "../../../../../test/fixtures/embedded/mongo/start.ts";
import { startStore } from "../server.ts";
import { backupStore, restoreStore, verifyBackup } from "./backup.ts";
import { verifyBackupFile } from "./backup-file.ts";

const restoreProcess = fileURLToPath(
  new URL("../../../../../test/fixtures/embedded/mongo/restore-process.ts", import.meta.url),
);
const TAIL = 32 + 4 + 8;
const accept = () => {};

let folder: string;
let backup: string;
let other: string;
let bytes: Buffer;
let databaseBytes: number;
let manifestStart: number;

/** Creates a store with 200 documents that carry its mark. */
async function fill(dataDir: string, mark: string): Promise<void> {
  const { client, stop: _, close } = await startTestStore({ dataDir });
  const docs = Array.from({ length: 200 }, (_, n) => ({ _id: n, mark, text: `${mark} `.repeat(60) }));
  await client.db("millrace").collection<{ _id: number }>("things").insertMany(docs);
  await client
    .db("millrace")
    .collection<{ _id: string }>("installation")
    .insertOne({ _id: "schema", version: 1, millrace: "0.1.0" } as never);
  await client.close();
  await close();
}
/** Returns the distinct marks of all documents, and the number of documents. */
async function contentOf(dataDir: string): Promise<[string[], number]> {
  const { client, close } = await startTestStore({ dataDir });
  const docs = await client.db("millrace").collection<{ mark: string }>("things").find().toArray();
  await client.close();
  await close();
  return [[...new Set(docs.map(({ mark }) => mark))], docs.length];
}
const hashOf = (dir: string) => {
  const hash = createHash("sha256");
  for (const name of readdirSync(dir).sort()) hash.update(name).update(readFileSync(join(dir, name)));
  return hash.digest("hex");
};

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "backup-"));
  for (const name of ["new", "old"]) {
    await fill(join(folder, name), name);
    backupStore(join(folder, name), join(folder, `${name}.backup`));
  }
  backup = join(folder, "new.backup");
  other = join(folder, "old.backup");
  bytes = readFileSync(backup);
  manifestStart = bytes.length - TAIL - bytes.readUInt32BE(bytes.length - 12);
  databaseBytes = manifestStart;
}, 120_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Returns a generator of reproducible numbers below 1 (mulberry32). */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

type Damage = [what: string, damage: (whole: Buffer, otherBackup: Buffer) => Buffer];
const flipped = (whole: Buffer, at: number, bit: number): Buffer => {
  const copy = Buffer.from(whole);
  copy[at] = (copy[at] ?? 0) ^ (1 << bit);
  return copy;
};
const manifestOf = (whole: Buffer) => {
  const length = whole.readUInt32BE(whole.length - 12);
  return JSON.parse(whole.subarray(whole.length - TAIL - length, whole.length - TAIL).toString());
};
/** Appends a footer with another manifest to members, with a valid checksum of the whole. */
const resealed = (members: Buffer, manifest: unknown): Buffer => {
  const text = Buffer.from(JSON.stringify(manifest));
  const length = Buffer.alloc(4);
  length.writeUInt32BE(text.length);
  const digest = createHash("sha256").update(members).update(text).digest();
  return Buffer.concat([members, text, digest, length, Buffer.from("MILLBAK2")]);
};
const random = seeded(20_261_125);
const DAMAGES: Damage[] = [
  ...Array.from({ length: 30 }, (_, n): Damage => {
    const [at, bit] = [random(), Math.floor(random() * 8)];
    return [`bit ${bit} flipped, ${n}`, (whole) => flipped(whole, Math.floor(at * whole.length), bit)];
  }),
  ...Array.from({ length: 8 }, (_, n): Damage => {
    const [at, bit] = [random(), Math.floor(random() * 8)];
    return [
      `bit ${bit} of the footer flipped, ${n}`,
      (whole) => flipped(whole, manifestStart + Math.floor(at * (whole.length - manifestStart)), bit),
    ];
  }),
  ...Array.from({ length: 10 }, (_, n): Damage => {
    const at = random();
    return [`cut off somewhere, ${n}`, (whole) => whole.subarray(0, Math.floor(at * whole.length))];
  }),
  ["cut off behind its database", (whole) => whole.subarray(0, databaseBytes)],
  ["cut off at a page", (whole) => whole.subarray(0, 4096 * 3)],
  ["cut off by one byte", (whole) => whole.subarray(0, -1)],
  ["cut off within its checksum", (whole) => whole.subarray(0, -20)],
  ["empty", () => Buffer.alloc(0)],
  ["without its first byte", (whole) => whole.subarray(1)],
  ["without its first page", (whole) => whole.subarray(4096)],
  ["with a byte behind", (whole) => Buffer.concat([whole, Buffer.from([0])])],
  ["with a page behind", (whole) => Buffer.concat([whole, Buffer.alloc(4096)])],
  [
    "with a page inserted",
    (whole) => Buffer.concat([whole.subarray(0, 8192), Buffer.alloc(4096), whole.subarray(8192)]),
  ],
  ["twice in one file", (whole) => Buffer.concat([whole, whole])],
  [
    "with the database of another one",
    (whole, otherBackup) => Buffer.concat([otherBackup.subarray(0, databaseBytes), whole.subarray(databaseBytes)]),
  ],
  [
    "with the footer of another one",
    (whole, otherBackup) => Buffer.concat([whole.subarray(0, databaseBytes), otherBackup.subarray(databaseBytes)]),
  ],
  [
    "with two pages exchanged",
    (whole) =>
      Buffer.concat([
        whole.subarray(0, 4096),
        whole.subarray(8192, 12_288),
        whole.subarray(4096, 8192),
        whole.subarray(12_288),
      ]),
  ],
  [
    "with a page of zeros",
    (whole) => Buffer.concat([whole.subarray(0, 8192), Buffer.alloc(4096), whole.subarray(12_288)]),
  ],
  [
    "with a sector of another one",
    (whole, otherBackup) => {
      const isOther = (at: number) => whole[at] !== otherBackup[at];
      const at = Array.from({ length: databaseBytes }, (_, n) => n).findLast(isOther) ?? 0;
      const sector = Math.floor(at / 512) * 512;
      return Buffer.concat([
        whole.subarray(0, sector),
        otherBackup.subarray(sector, sector + 512),
        whole.subarray(sector + 512),
      ]);
    },
  ],
  ["without its database", (whole) => whole.subarray(databaseBytes)],
  [
    "with no member named",
    (whole) => resealed(whole.subarray(0, databaseBytes), { ...manifestOf(whole), members: [] }),
  ],
  [
    "with a member that is not there",
    (whole) => {
      const manifest = manifestOf(whole);
      return resealed(whole.subarray(0, databaseBytes), {
        ...manifest,
        members: [...manifest.members, { name: "files/a", bytes: 9, sha256: "00" }],
      });
    },
  ],
  [
    "with a wrong length of its member",
    (whole) => {
      const manifest = manifestOf(whole);
      const members = [{ ...manifest.members[0], bytes: databaseBytes - 4096 }];
      return resealed(whole.subarray(0, databaseBytes), { ...manifest, members });
    },
  ],
  [
    "with its member under another name",
    (whole) => {
      const manifest = manifestOf(whole);
      return resealed(whole.subarray(0, databaseBytes), {
        ...manifest,
        members: [{ ...manifest.members[0], name: "other" }],
      });
    },
  ],
  [
    "of a newer backup format",
    (whole) => resealed(whole.subarray(0, databaseBytes), { ...manifestOf(whole), format: 99 }),
  ],
  ["with a manifest that is none", (whole) => resealed(whole.subarray(0, databaseBytes), ["x"])],
  [
    "with a huge length of its manifest",
    (whole) => {
      const copy = Buffer.from(whole);
      copy.writeUInt32BE(0xffffffff, whole.length - 12);
      return copy;
    },
  ],
];

describe("a backup", () => {
  it("C29 is verified completely and names its schema version", () => {
    const { manifest, databaseBytes: size } = verifyBackup(backup, accept);
    expect(manifest).toMatchObject({ format: 2, storeFormat: 2, schema: { version: 1, millrace: "0.1.0" } });
    expect(size).toBe(databaseBytes);
  });

  it("C29 is tested with at least 60 kinds of damage", () => expect(DAMAGES.length).toBeGreaterThanOrEqual(60));

  it.each(DAMAGES)("C29 is refused %s, and nothing changes", (_, damage) => {
    const file = join(folder, "damaged.backup");
    writeFileSync(file, damage(bytes, readFileSync(other)));
    const store = join(folder, "old", "store");
    const before = hashOf(store);
    expect(() => verifyBackup(file, accept)).toThrow(/damaged|not a backup|backup format|too short/);
    expect(() => restoreStore(join(folder, "old"), file, { overwrite: true })).toThrow();
    expect(hashOf(store)).toBe(before);
  });

  it("C29 of a newer schema is refused, and nothing changes", () => {
    const store = join(folder, "old", "store");
    const before = hashOf(store);
    const refuseSchema = ({ version }: { version: number }) => {
      if (version > 0) throw new Error("newer");
    };
    expect(() => restoreStore(join(folder, "old"), backup, { overwrite: true, refuseSchema })).toThrow("newer");
    expect(hashOf(store)).toBe(before);
  });

  it("C29 of a version without checksums is restored, unless it is truncated", async () => {
    const file = join(folder, "before.backup");
    writeFileSync(file, bytes.subarray(0, databaseBytes));
    const db = new Database(file);
    db.pragma("user_version = 1");
    db.close();
    expect(verifyBackupFile(file).manifest).toBeNull();
    const dataDir = join(folder, "from-before");
    expect(restoreStore(dataDir, file).manifest).toBeNull();
    expect(await contentOf(dataDir)).toEqual([["new"], 200]);
    writeFileSync(file, readFileSync(file).subarray(0, -4096));
    expect(() => restoreStore(dataDir, file, { overwrite: true })).toThrow(/damaged/);
  });
});

describe("a restore that is killed", () => {
  /** Returns the steps of a restore over a store, up to the one after which it is killed; 0 for none. */
  function restoreKilledAt(dataDir: string, step: number): string[] {
    const args = [restoreProcess, dataDir, backup, String(step)];
    const { stdout, signal, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
    expect([signal, step === 0 ? stderr : ""]).toEqual([step === 0 ? null : "SIGKILL", ""]);
    return stdout.trim().split("\n");
  }
  /** Makes a data folder whose store was stopped, or killed with writes in its log alone. */
  /** Creates a data folder whose store was stopped, or killed with writes only in its log. */
  function makeOld(name: string, isKilled: boolean): string {
    const dataDir = join(folder, name);
    cpSync(join(folder, isKilled ? "killed" : "old"), dataDir, { recursive: true });
    return dataDir;
  }
  beforeAll(async () => {
    cpSync(join(folder, "old"), join(folder, "killed"), { recursive: true });
    const { child, uri, ended } = await forkStore(join(folder, "killed"), ["--port", "0"]);
    const client = await new MongoClient(uri, { serverSelectionTimeoutMS: 100 }).connect();
    await client.db("millrace").collection("things").insertOne({ mark: "old" });
    child.kill("SIGKILL");
    await ended;
    await client.close();
  });

  const losesNothing = async (name: string, isKilled: boolean): Promise<void> => {
    const oldCount = isKilled ? 201 : 200;
    const steps = restoreKilledAt(makeOld(`${name}-0`, isKilled), 0);
    expect(steps).toEqual(expect.arrayContaining(["verified", "copied", "checked", "decided", "placed", "done"]));
    expect(await contentOf(join(folder, `${name}-0`))).toEqual([["new"], 200]);
    for (let step = 1; step <= steps.length; step++) {
      const dataDir = makeOld(`${name}-${step}`, isKilled);
      restoreKilledAt(dataDir, step);
      const isDecided = step > steps.indexOf("decided");
      const running = await startStore({ dataDir, port: 0 });
      const { notice } = running.services.store;
      await running.close();
      if (steps[step - 1] === "verified" || steps[step - 1] === "done") expect(notice).toBeNull();
      else
        expect(notice).toMatch(
          isDecided ? /It is finished: the store is that of the backup/ : /the store is as it was/,
        );
      expect([step, await contentOf(dataDir)]).toEqual([step, isDecided ? [["new"], 200] : [["old"], oldCount]]);
      const left = readdirSync(join(dataDir, "store")).filter((file) => /restor/.test(file));
      expect(left).toEqual([]);
    }
  };
  it("C29 loses nothing at any step, over a store that was killed", { timeout: 120_000 }, () =>
    losesNothing("over-killed", true),
  );
  it("C29 loses nothing at any step, over a store that was stopped", { timeout: 120_000, tags: ["long"] }, () =>
    losesNothing("over-stopped", false),
  );

  it("C29 can be restored again from any state, and a backup waits for the next start", async () => {
    const dataDir = makeOld("again", false);
    const steps = restoreKilledAt(makeOld("again-0", false), 0);
    restoreKilledAt(dataDir, steps.indexOf("placed"));
    expect(() => backupStore(dataDir, join(folder, "none.backup"))).toThrow(/was interrupted/);
    const { recovered } = restoreStore(dataDir, other, { overwrite: true });
    expect(recovered).toMatch(/It is finished/);
    expect(await contentOf(dataDir)).toEqual([["old"], 200]);
  });
});
