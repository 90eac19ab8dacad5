import { fileURLToPath } from "node:url";
import { runCommand } from "./support/command.mjs";

/** Replaces the embedded store with a backup, while no server runs: npm run restore -- <file> [--overwrite] */
await runCommand(fileURLToPath(import.meta.url), "backup", "restoreCommand");
