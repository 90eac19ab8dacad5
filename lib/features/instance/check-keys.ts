import "server-only";
import type { Collection } from "mongodb";
import type { KeyCheckDoc } from "@/lib/platform/db/collections";
import type { EncryptionKey } from "@/lib/platform/env";
import { getSecrets, SecretsMissing } from "@/lib/platform/secrets/bootstrap";
import { keyIdOf, open, type SealContext, type Sealed, seal } from "@/lib/platform/secrets/seal";
import { collections } from "./collections";

const TEXT = "the encryption keys of this installation";

function keyChecks(): Collection<KeyCheckDoc> {
  return collections.installation() as unknown as Collection<KeyCheckDoc>;
}

/** Returns a separate context for each key, so that a value of another key with the same id does not decrypt. */
function placeOf(keyId: string): SealContext {
  return { workspaceId: "installation", recordId: "keys", field: keyId };
}

/**
 * Checks that this server has the key that encrypts the stored secrets, and records its newest key.
 * @throws SecretsMissing if the key is missing, or another key has its id
 */
export async function checkKeys(ring: readonly EncryptionKey[] = getSecrets().encryptionKeys): Promise<void> {
  const doc = await keyChecks().findOne({ _id: "keys" });
  const ids = new Set(ring.map(({ id }) => id));
  const needed = doc?.newest ?? (await keyOfSecrets(ids));
  if (needed !== null && !ids.has(needed)) {
    throw new SecretsMissing(`The stored secrets are encrypted with key "${needed}", which is missing on this server.`);
  }
  for (const key of ring) {
    const sealed = doc?.checks[key.id];
    if (sealed !== undefined && !opens(sealed as Sealed, key)) {
      throw new SecretsMissing(
        `The encryption key "${key.id}" differs from the one that encrypted the stored secrets.`,
      );
    }
  }
  const [newest] = ring;
  if (!newest || (doc?.newest === newest.id && doc.checks[newest.id] !== undefined)) return;
  await keyChecks().updateOne(
    { _id: "keys" },
    { $set: { newest: newest.id, [`checks.${newest.id}`]: checkOf(newest) } },
    { upsert: true },
  );
}

/** Accepts these keys, whichever key encrypts the stored secrets: the operator starts with new ones. */
export async function acceptKeys([newest]: readonly EncryptionKey[]): Promise<void> {
  if (!newest) throw new Error("The key ring is empty.");
  const doc = { newest: newest.id, checks: { [newest.id]: checkOf(newest) } };
  await keyChecks().replaceOne({ _id: "keys" }, doc, { upsert: true });
}

function checkOf(key: EncryptionKey): Sealed {
  return seal(TEXT, placeOf(key.id), [key]);
}

/** Returns whether no user has ever registered, so that no secret can be lost. */
export async function isStoreUnused(): Promise<boolean> {
  return (await collections.users().countDocuments({}, { limit: 1 })) === 0;
}

/**
 * Returns a key id of the connections' secrets, for a store from before keys were checked: one of `known` if any secret
 * has it, else that of the newest secret. A single secret may be encrypted with a key that was lost or retired long
 * ago. Returns null without secrets.
 */
async function keyOfSecrets(known: ReadonlySet<string>): Promise<string | null> {
  const docs = collections
    .connections()
    .find({ secrets: { $exists: true, $ne: {} } }, { projection: { secrets: 1 }, sort: { _id: -1 } });
  let newest: string | null = null;
  for await (const { secrets } of docs) {
    for (const sealed of Object.values(secrets)) {
      const id = keyIdOrNull(sealed);
      if (id !== null && known.has(id)) return id;
      newest ??= id;
    }
  }
  return newest;
}

/** Returns null for a damaged secret, which says nothing about the keys. */
function keyIdOrNull(sealed: Sealed): string | null {
  try {
    return keyIdOf(sealed);
  } catch {
    return null;
  }
}

function opens(sealed: Sealed, key: EncryptionKey): boolean {
  try {
    return open(sealed, placeOf(key.id), [key]) === TEXT;
  } catch {
    return false;
  }
}
