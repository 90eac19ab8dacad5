import { fileURLToPath } from "node:url";
import { runCommand } from "./support/command.mjs";

/**
 * Prints the mails to accounts that no mail service has accepted, such as links for a new password, with or without
 * running servers:
 *   npm run outbox
 *   npm run outbox -- --limit 5
 */
await runCommand(fileURLToPath(import.meta.url), "outbox", "outboxCommand");
