import type { Value } from "../bson/values.ts";
import { StoreError } from "../errors.ts";

const MAX_DB_BYTES = 63;
const MAX_NAMESPACE_BYTES = 255;

/** @throws StoreError InvalidNamespace (73) */
export function checkDatabaseName(db: string): void {
  if (db === "" || /[/\\. "$\0]/.test(db) || Buffer.byteLength(db) > MAX_DB_BYTES) {
    throw new StoreError("InvalidNamespace", `Invalid database name: '${db}'`);
  }
}

/** Returns the collection that a command names as its first value. */
export function collectionName(command: string, value: Value | undefined): string {
  if (typeof value !== "string") {
    throw new StoreError("InvalidNamespace", `collection name has invalid type for ${command}`);
  }
  return value;
}

/** @throws StoreError InvalidNamespace for an invalid collection name */
export function checkCollectionName(db: string, name: string): void {
  const namespace = `${db}.${name}`;
  if (name === "" || name.startsWith(".") || name.includes("$") || name.includes("\0")) {
    throw new StoreError("InvalidNamespace", `Invalid namespace specified '${namespace}'`);
  }
  if (Buffer.byteLength(namespace) > MAX_NAMESPACE_BYTES) {
    throw new StoreError(
      "InvalidNamespace",
      `Fully qualified namespace is too long. Namespace: ${namespace} Max: ${MAX_NAMESPACE_BYTES}`,
    );
  }
  if (name.startsWith("system.") && name !== "system.js") {
    throw new StoreError("InvalidNamespace", `cannot write to '${namespace}'`);
  }
}
