import type { ObjectId } from "mongodb";
import type { Sealed } from "@/lib/platform/secrets/seal";
import { valueAt, withValue } from "./config-fields";
import type { CONNECTION_STATUS, ConfirmWrites, Connection, Tag } from "./schema";

export type ConnectionDoc = {
  _id: ObjectId;
  workspaceId: ObjectId;
  name: string;
  type: string;
  category: "database" | "source";
  readOnly: boolean;
  /** Absent in records from before tags. */
  tag?: Tag | null;
  /** Absent in records from before confirmations: `never`. */
  confirmWrites?: ConfirmWrites;
  /** The part that may be shown; the rest is encrypted in `secrets`, by the key of its field (`toSecretKey`). */
  config: Record<string, unknown>;
  secrets: Record<string, Sealed>;
  status: (typeof CONNECTION_STATUS)[number];
  lastTestedAt: Date | null;
  lastError: string | null;
  /** Absent in records whose last test is older than this field. */
  serverVersion?: string | null;
  latencyMs?: number | null;
  latencies?: { at: Date; ms: number }[];
  createdBy: ObjectId;
  createdAt: Date;
  updatedAt: Date;
};

/**
 * Returns the key of a secret. A path in the store has no dots in its names, so `auth.token` is stored as `auth:token`.
 */
export function toSecretKey(name: string): string {
  return name.replace(".", ":");
}

export function toFieldName(secretKey: string): string {
  return secretKey.replace(":", ".");
}

/** Returns whether a connection is read-only: always, unless its record has `readOnly: false`. */
export function mayOnlyRead({ readOnly }: Pick<ConnectionDoc, "readOnly">): boolean {
  return readOnly !== false;
}

export function toConnection(doc: ConnectionDoc): Connection {
  let config = doc.config;
  for (const name of Object.keys(doc.secrets).map(toFieldName)) {
    // Where names are shown, each has its placeholder already.
    if (valueAt(config, name) === undefined) config = withValue(config, name, { set: true });
  }
  return {
    id: doc._id.toHexString(),
    name: doc.name,
    type: doc.type,
    category: doc.category,
    readOnly: mayOnlyRead(doc),
    tag: doc.tag ?? null,
    confirmWrites: doc.confirmWrites ?? "never",
    config,
    // An untested connection is neither good nor bad: earlier versions marked samples as good from the start.
    status: doc.lastTestedAt === null ? "untested" : doc.status,
    lastTestedAt: doc.lastTestedAt?.toISOString() ?? null,
    lastError: doc.lastError,
    serverVersion: doc.serverVersion ?? null,
    latencyMs: doc.latencyMs ?? null,
    latencies: (doc.latencies ?? []).map(({ at, ms }) => ({ at: at.toISOString(), ms })),
    createdBy: doc.createdBy.toHexString(),
    createdAt: doc.createdAt.toISOString(),
    updatedAt: doc.updatedAt.toISOString(),
  };
}
