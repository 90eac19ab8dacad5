import { fileURLToPath } from "node:url";
import { runCommand } from "./support/command.mjs";

/**
 * Starts an installation again with new secrets, when the old ones are lost:
 * npm run secrets:new          says what will be lost
 * npm run secrets:new -- --yes
 */
await runCommand(fileURLToPath(import.meta.url), "secrets", "newSecretsCommand");
