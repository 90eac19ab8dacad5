import { ObjectId } from "mongodb";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { databaseReady } from "@/lib/platform/db/ready";
import type { EncryptionKey } from "@/lib/platform/env";
import { SecretsMissing } from "@/lib/platform/secrets/bootstrap";
import { seal } from "@/lib/platform/secrets/seal";
import { takeOwnDatabase } from "@/test/database";
import { seedPerson } from "@/test/seed";
import { acceptKeys, checkKeys, isStoreUnused } from "./check-keys";
import { collections } from "./collections";

const own = takeOwnDatabase();
beforeAll(() => databaseReady());
beforeEach(async () => {
  await collections.installation().deleteOne({ _id: "keys" });
  await collections.connections().deleteMany({});
});
afterAll(() => own.drop());

const key = (id: string, fill: number): EncryptionKey => ({ id, key: Buffer.alloc(32, fill) });
const K1 = key("k1", 1);
const K2 = key("k2", 2);
const K3 = key("k3", 3);

it.each<[string, EncryptionKey[][], boolean]>([
  ["C34 takes the keys that it had", [[K1], [K1]], true],
  ["C34 takes a new key behind the old one", [[K1], [K1, K2]], true],
  ["C34 takes a new key before the old one", [[K1], [K2, K1]], true],
  ["C34 takes the new key alone after a rotation", [[K1], [K2, K1], [K2]], true],
  ["C34 takes three keys one after another", [[K1], [K2, K1], [K3, K2], [K3]], true],
  ["C34 refuses another key", [[K1], [K2]], false],
  ["C34 refuses another key of the same id", [[K1], [key("k1", 9)]], false],
  ["C34 refuses another key of the same id behind a right one", [[K1], [K2, K1], [K2, key("k1", 9)]], false],
  ["C34 refuses the old key alone after a rotation", [[K1], [K2, K1], [K1]], false],
  ["C34 refuses two other keys", [[K1], [K2, K3]], false],
])("%s", async (_, rings, isTaken) => {
  const last = rings.at(-1) ?? [];
  for (const ring of rings.slice(0, -1)) await checkKeys(ring);
  const checked = checkKeys(last);
  if (isTaken) await expect(checked).resolves.toBeUndefined();
  else await expect(checked).rejects.toBeInstanceOf(SecretsMissing);
});

it("C34 names the missing key, also of a store from before the check", async () => {
  expect(await isStoreUnused()).toBe(true);
  await seedPerson("Ana");
  expect(await isStoreUnused()).toBe(false);
  await storeSecrets([K1]);
  await expect(checkKeys([K2])).rejects.toThrow(/encrypted with key "k1".*Restore secrets\.json/);
  await checkKeys([K2, K1]);
});

/** Stores a connection with a secret under each key; a text is stored unchanged. */
async function storeSecrets(keys: (EncryptionKey | string)[]): Promise<void> {
  const _id = new ObjectId();
  const secrets = keys.map((each, index) => {
    const field = `secret${index}`;
    const place = { workspaceId: "w", recordId: _id.toHexString(), field: `secrets.${field}` };
    return [field, typeof each === "string" ? each : seal("any", place, [each])];
  });
  await collections.connections().insertOne({ _id, secrets: Object.fromEntries(secrets) } as never);
}

it.each<[string, (EncryptionKey | string)[][], EncryptionKey[], boolean]>([
  ["no connection", [], [K2], true],
  ["no secret", [[], []], [K2], true],
  ["its key on every secret", [[K2], [K2]], [K2], true],
  ["a lost key on the newest secret only", [[K2], [K1]], [K2], true],
  ["a lost key on the oldest secret only", [[K1], [K2]], [K2], true],
  ["a lost key on all secrets but one", [[K1], [K2], [K1], [K3]], [K2], true],
  ["a lost key beside its own in one connection", [[K1, K2]], [K2], true],
  ["the older key of the ring below a lost one", [[K2], [K1]], [K3, K2], true],
  ["a damaged newest secret", [[K2], ["damaged"]], [K2], true],
  ["damaged secrets alone", [["damaged"]], [K2], true],
  ["a lost key on every secret", [[K1], [K1]], [K2], false],
  ["two lost keys", [[K1], [K3]], [K2], false],
  ["a lost key beside a damaged secret", [[K1], ["damaged"]], [K2], false],
])("C34 checks a store from before the check, with %s", async (_, stored, ring, isTaken) => {
  for (const keys of stored) await storeSecrets(keys);
  const checked = checkKeys(ring);
  if (isTaken) await expect(checked).resolves.toBeUndefined();
  else await expect(checked).rejects.toBeInstanceOf(SecretsMissing);
});

it("C34 starts with other keys once the operator has accepted them", async () => {
  await storeSecrets([K1]);
  await expect(checkKeys([K2])).rejects.toBeInstanceOf(SecretsMissing);
  await acceptKeys([K2]);
  await checkKeys([K2]);
  await expect(checkKeys([K1])).rejects.toBeInstanceOf(SecretsMissing);
});
