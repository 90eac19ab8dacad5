import "server-only";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { newerSchemaMessage, type SchemaStamp } from "@/lib/platform/db/newer-schema";
import { SCHEMA_VERSION } from "@/lib/platform/db/schema-version";
import { backupStore, restoreStore, verifyBackup } from "@/lib/platform/embedded/mongo/storage/backup";
import type { VerifiedBackup } from "@/lib/platform/embedded/mongo/storage/backup-file";
import { env } from "@/lib/platform/env";
import { CommandError, forOperator } from "./command-error";

const NO_CHECKSUMS =
  "Warning: this backup was written by an older Millrace and has no checksums. Damaged values can't be detected.";

/**
 * Runs `npm run backup -- <file>`, which writes the embedded store into one file while servers run, and
 * `npm run backup -- --verify <file>`, which checks one and changes nothing.
 * @returns the exit code
 * @throws CommandError
 */
export async function backupCommand(args: string[], print: (line: string) => void): Promise<number> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { verify: { type: "boolean", default: false } },
  });
  const [file] = positionals;
  if (values.verify) {
    if (!file) throw new CommandError("Usage: npm run backup -- --verify <file>");
    const verified = forOperator(() => verifyBackup(resolve(file), refuseSchema));
    for (const line of linesOf(file, verified)) print(line);
    return 0;
  }
  if (!file) throw new CommandError("Usage: npm run backup -- <file>");
  const dataDir = requireEmbedded("Back up that server with mongodump");
  // The backup contains the whole store: only the owner may read it.
  process.umask(0o077);
  forOperator(() => backupStore(dataDir, resolve(file)));
  print(`Backup written to ${file}.`);
  print(`Also back up ${dataDir}/secrets.json to another location. Stored passwords can't be decrypted without it.`);
  return 0;
}

/**
 * Runs `npm run restore -- <file> [--overwrite]`, which replaces the embedded store with a backup, while no server
 * runs.
 * @returns the exit code
 * @throws CommandError
 */
export async function restoreCommand(args: string[], print: (line: string) => void): Promise<number> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { overwrite: { type: "boolean", default: false } },
  });
  const [file] = positionals;
  if (!file) throw new CommandError("Usage: npm run restore -- <file> [--overwrite]");
  const dataDir = requireEmbedded("Restore that server with mongorestore");
  process.umask(0o077);
  const { overwrite } = values;
  const { manifest, recovered } = forOperator(() => restoreStore(dataDir, resolve(file), { overwrite, refuseSchema }));
  if (recovered) print(recovered);
  if (manifest === null) print(NO_CHECKSUMS);
  print(`Restored ${file} to ${dataDir}. Use the secrets.json from the same time.`);
  return 0;
}

function refuseSchema(schema: SchemaStamp): void {
  if (schema.version > SCHEMA_VERSION) throw new Error(newerSchemaMessage("The backup", schema, SCHEMA_VERSION));
}

function requireEmbedded(otherwise: string): string {
  const { isEmbeddedStore, DATA_DIR } = env();
  if (!isEmbeddedStore) throw new CommandError(`MONGODB_URI is set. ${otherwise}.`);
  return DATA_DIR;
}

function linesOf(file: string, { manifest, databaseBytes }: VerifiedBackup): string[] {
  if (manifest === null) return [NO_CHECKSUMS, `${file} is readable: ${databaseBytes} bytes.`];
  const { createdAt, schema } = manifest;
  return [
    `${file} is intact: ${databaseBytes} bytes, written ${createdAt}, schema version ${schema.version} of Millrace ${schema.millrace}.`,
  ];
}
