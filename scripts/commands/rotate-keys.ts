import "server-only";
import { createHash, randomBytes } from "node:crypto";
import { parseArgs } from "node:util";
import { formatCountOf } from "@/lib/base/values/amounts";
import { checkKeys } from "@/lib/features/instance/check-keys";
import { ENCRYPTION_KEY_BYTES } from "@/lib/platform/env";
import "@/lib/features/instance/sealed-fields";
import { getSecrets } from "@/lib/platform/secrets/bootstrap";
import { isRotationComplete, type RotationCount, rotateSealedFields } from "@/lib/platform/secrets/rotate";
import { openStore } from "./open-store";

/** Maximum number of unreadable fields shown; more would scroll the counts away. */
const UNREADABLE_SHOWN_MAX = 20;

/**
 * Runs `npm run keys:rotate`: encrypts all stored secrets with the newest key, beside running servers. With `--new-key`
 * it prints a new entry for ENCRYPTION_KEYS and does nothing else.
 * @returns the exit code: 1 while an older key is still needed
 * @throws SecretsMissing if the ring lacks the key of the stored secrets
 */
export async function rotateCommand(args: string[], print: (line: string) => void): Promise<number> {
  const { values } = parseArgs({ args, options: { "new-key": { type: "boolean", default: false } }, strict: true });
  if (values["new-key"]) {
    print(newKeyEntry());
    return 0;
  }
  const [newest, ...older] = getSecrets().encryptionKeys;
  const stop = await openStore();
  try {
    // The store then records the new key, so that a server may start with it alone.
    await checkKeys();
    const counts = await rotateSealedFields({ report: (count) => print(toLine(count)) });
    for (const line of closingLines(
      counts,
      newest?.id ?? "",
      older.map(({ id }) => id),
    ))
      print(line);
    return isRotationComplete(counts) ? 0 : 1;
  } finally {
    await stop();
  }
}

/** @returns `id:base64`, with the id from the key's hash, so that two keys do not share one by chance */
export function newKeyEntry(): string {
  const key = randomBytes(ENCRYPTION_KEY_BYTES).toString("base64");
  return `${createHash("sha256").update(key).digest("hex").slice(0, 8)}:${key}`;
}

function toLine({ name, documents, sealed, resealed, left, unreadable }: RotationCount): string {
  const rest = [
    left > 0 ? `${left} changed during rotation` : null,
    unreadable.length > 0 ? `${unreadable.length} can't be decrypted` : null,
  ].filter((part) => part !== null);
  return [
    `${name}: ${formatCountOf(documents, "record")}, ${formatCountOf(sealed, "secret")}, ${resealed} re-encrypted`,
    ...rest,
  ].join(", ");
}

function closingLines(counts: readonly RotationCount[], newest: string, older: string[]): string[] {
  if (isRotationComplete(counts)) {
    const free = older.length === 0 ? "" : ` No longer needed: ${older.join(", ")}.`;
    return [`All secrets are encrypted with key ${newest}.${free}`];
  }
  const unreadable = counts.flatMap((count) => count.unreadable.map((field) => ({ ...field, name: count.name })));
  return [
    ...unreadable
      .slice(0, UNREADABLE_SHOWN_MAX)
      .map(({ name, recordId, path, reason }) => `${name} ${recordId} ${path}: ${reason}`),
    "Keep the older keys. Restore the missing key or re-enter these secrets, then run this again.",
  ];
}
