import { fileURLToPath } from "node:url";
import { runCommand } from "./support/command.mjs";

/** Writes the embedded store into one file while servers run, or checks one: npm run backup -- [--verify] <file> */
await runCommand(fileURLToPath(import.meta.url), "backup", "backupCommand");
