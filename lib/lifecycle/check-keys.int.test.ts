import { ObjectId } from "mongodb";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { databaseReady } from "@/lib/db/ready";
import type { EncryptionKey } from "@/lib/env";
import { SecretsMissing } from "@/lib/secrets/bootstrap";
import { seal } from "@/lib/secrets/seal";
import { takeOwnDatabase } from "@/test/database";
import { seedPerson } from "@/test/seed";
import { acceptKeys, checkKeys, isStoreUnused } from "./check-keys";
import { collections } from "./collections";

const own = takeOwnDatabase();
beforeAll(() => databaseReady());
beforeEach(() => collections.installation().deleteOne({ _id: "keys" }));
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

it("C34 names the key that is missing, of a store of before keys were checked too", async () => {
  expect(await isStoreUnused()).toBe(true);
  await seedPerson("Ana");
  expect(await isStoreUnused()).toBe(false);
  const _id = new ObjectId();
  const place = { workspaceId: "w", recordId: _id.toHexString(), field: "config.password" };
  await collections.connections().insertOne({ _id, secrets: { password: seal("any", place, [K1]) } } as never);
  await expect(checkKeys([K2])).rejects.toThrow(/sealed with the key "k1".*Put back the secrets\.json/);
  await checkKeys([K2, K1]);
});

it("C34 starts with other keys once the operator has accepted them, whatever is sealed", async () => {
  await expect(checkKeys([K2])).rejects.toBeInstanceOf(SecretsMissing);
  await acceptKeys([K2]);
  await checkKeys([K2]);
  await expect(checkKeys([K1])).rejects.toBeInstanceOf(SecretsMissing);
});
