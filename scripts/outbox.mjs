import { fileURLToPath } from "node:url";
import { importBundled } from "./support/bundle.mjs";
import { main, ScriptError } from "./support/run.mjs";
import { ensureRuntime } from "./support/runtime.mjs";
import { loadDotenv } from "./support/settings.mjs";

/**
 * Prints the mails to accounts that no mail service has taken, such as links for a new password, while servers run or
 * not:
 * npm run outbox
 * npm run outbox -- --limit 5
 */
await main(async () => {
  await ensureRuntime(fileURLToPath(import.meta.url));
  await loadDotenv();
  const { outboxCommand } = await importBundled("lib/commands/outbox.ts");
  try {
    return await outboxCommand(process.argv.slice(2), (line) => console.log(line));
  } catch (error) {
    if (isForTheReader(error)) throw new ScriptError(error.message);
    throw error;
  }
});

/** A wrong argument, or a store that is away: the message says what to do, a stack would hide it. */
function isForTheReader(error) {
  return String(error?.code).startsWith("ERR_PARSE_ARGS") || error?.name === "ServiceDown";
}
