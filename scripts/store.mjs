import { fileURLToPath } from "node:url";
import { runCommand } from "./support/command.mjs";
import { ROOT } from "./support/paths.mjs";

/**
 * Runs the embedded store alone and prints its address, for several servers on one machine:
 *   npm run store -- --port 27017
 * On a port it requires a password: STORE_PASSWORD, or one that the first start creates and shows in the address.
 * Without a port it listens on the socket of DATA_DIR, where `npm start` joins it.
 */
// The program of the store is found from the project's folder.
process.chdir(ROOT);
await runCommand(fileURLToPath(import.meta.url), "store", "storeCommand");
