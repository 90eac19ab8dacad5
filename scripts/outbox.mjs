import { fileURLToPath } from "node:url";
import { runCommand } from "./support/command.mjs";

/**
 * Prints the mails to accounts that no mail service has taken, such as links for a new password, while servers run or
 * not:
 * npm run outbox
 * npm run outbox -- --limit 5
 */
await runCommand(fileURLToPath(import.meta.url), "outbox", "outboxCommand");
