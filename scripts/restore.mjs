import { fileURLToPath } from "node:url";
import { runCommand } from "./support/command.mjs";

/** Puts a backup in the place of the embedded store, while no server runs: npm run restore -- <file> [--overwrite] */
await runCommand(fileURLToPath(import.meta.url), "backup", "restoreCommand");
