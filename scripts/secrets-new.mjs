import { fileURLToPath } from "node:url";
import { runCommand } from "./support/command.mjs";

/**
 * Restarts an installation with new secrets, after the old ones were lost:
 *   npm run secrets:new          prints what will be lost
 *   npm run secrets:new -- --yes
 */
await runCommand(fileURLToPath(import.meta.url), "secrets", "newSecretsCommand");
