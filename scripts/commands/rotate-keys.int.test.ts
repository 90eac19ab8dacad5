import { ObjectId } from "mongodb";
import { afterAll, afterEach, beforeEach, expect, test } from "vitest";
import type { ConnectionDoc } from "@/lib/features/connections/model";
import { checkKeys } from "@/lib/features/instance/check-keys";
import { collections } from "@/lib/features/instance/collections";
import { parseKeyRing } from "@/lib/platform/env";
import { toKeptBody } from "@/lib/platform/mail/account-mail";
import { getSecrets, SecretsMissing } from "@/lib/platform/secrets/bootstrap";
import { type KeyRing, seal } from "@/lib/platform/secrets/seal";
import { contextOf } from "@/lib/platform/secrets/sealed-fields";
import { takeOwnDatabase } from "@/test/database";
import { rotateCommand } from "./rotate-keys";

const own = takeOwnDatabase();
afterAll(own.drop);

beforeEach(async () => {
  await collections.installation().deleteMany({});
  await collections.connections().deleteMany({});
  await collections.mails().deleteMany({});
});

const secrets = getSecrets();
const { encryptionKeys } = secrets;
afterEach(() => {
  Object.assign(secrets, { encryptionKeys });
});

async function store(ring: KeyRing): Promise<ConnectionDoc> {
  const ids = { _id: new ObjectId(), workspaceId: new ObjectId() };
  const doc: ConnectionDoc = {
    ...ids,
    name: "Database",
    type: "postgres",
    category: "database",
    readOnly: true,
    config: {},
    secrets: { password: seal("a-marker-password", contextOf(ids, "secrets.password"), ring) },
    status: "untested",
    lastTestedAt: null,
    lastError: null,
    createdBy: new ObjectId(),
    createdAt: new Date(0),
    updatedAt: new Date(0),
  };
  await collections.connections().insertOne(doc);
  return doc;
}

async function run(...args: string[]): Promise<{ code: number; lines: string[] }> {
  const lines: string[] = [];
  const code = await rotateCommand(args, (line) => lines.push(line));
  return { code, lines };
}

test("prints counts, and reports when everything uses the newest key", async () => {
  await store(getSecrets().encryptionKeys);
  const _id = new ObjectId();
  const mail = { _id, workspaceId: null, subject: "", status: "kept", error: null, createdAt: new Date() } as const;
  await collections.mails().insertOne({ ...mail, to: [], ...toKeptBody(_id, "a link", "kept") });
  const { code, lines } = await run();
  expect([code, lines.pop()]).toEqual([0, "All secrets are encrypted with key test."]);
  // One line per domain. The order of registration varies.
  expect(lines.sort()).toEqual([
    "connections: 1 record, 1 secret, 0 re-encrypted",
    "flow webhooks: 0 records, 0 secrets, 0 re-encrypted",
    "mails: 1 record, 1 secret, 0 re-encrypted",
    "notification rules: 0 records, 0 secrets, 0 re-encrypted",
    "shares: 0 records, 0 secrets, 0 re-encrypted",
    "snapshots: 0 records, 0 secrets, 0 re-encrypted",
  ]);
});

test("ends with 1 and names what no key decrypts, without a secret", async () => {
  await store(encryptionKeys);
  const lost = await store([{ id: "gone", key: Buffer.alloc(32, 9) }]);
  const { code, lines } = await run();
  expect(code).toBe(1);
  expect(lines).toContain(`connections ${lost._id.toHexString()} secrets.password: unknown_key`);
  expect(lines.join("\n")).not.toContain("marker");
});

test("generates a valid key, a new one each time", async () => {
  const [first, second] = [await run("--new-key"), await run("--new-key")];
  expect(parseKeyRing([...first.lines, ...second.lines].join(","))).toHaveLength(2);
});

test("rejects an unknown argument before doing anything", async () => {
  await expect(run("--dry-run")).rejects.toThrow(/dry-run/);
});

test("C34 starts a server with only the new key after an offline rotation", async () => {
  const old = { id: "old", key: Buffer.alloc(32, 9) };
  await store([old]);
  await checkKeys([old]);
  Object.assign(secrets, { encryptionKeys: [...encryptionKeys, old] });
  expect((await run()).code).toBe(0);
  await checkKeys(encryptionKeys);
  await expect(checkKeys([old])).rejects.toBeInstanceOf(SecretsMissing);
});

test("C34 refuses a key ring without the store's key, and changes nothing", async () => {
  const old = { id: "old", key: Buffer.alloc(32, 9) };
  const { _id, secrets: before } = await store([old]);
  await checkKeys([old]);
  await expect(run()).rejects.toBeInstanceOf(SecretsMissing);
  expect((await collections.connections().findOne({ _id }))?.secrets).toEqual(before);
  await checkKeys([old]);
});
