import { fileURLToPath } from "node:url";
import { runCommand } from "./support/command.mjs";

/**
 * Encrypts all stored secrets with the newest of ENCRYPTION_KEYS, while servers run:
 *   npm run keys:rotate
 *   npm run keys:rotate -- --new-key   prints a new key to put in front
 */
await runCommand(fileURLToPath(import.meta.url), "rotate-keys", "rotateCommand");
