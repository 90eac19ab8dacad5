import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { prepareStore } from "@/lib/features/instance/prepare-store";
import { handIn } from "@/lib/features/instance/register-hooks";
import { closeDatabase, database } from "@/lib/platform/db/client";
import { writeNow as writeEvents } from "@/lib/platform/events/publish";

/** Maximum wait for pending events, in ms. */
const EVENTS_WAIT_MS = 2000;

/**
 * Creates a separate database for this test file on the local test store, and drops it afterwards. Call it before any
 * use of the product.
 */
export function takeOwnDatabase(): { drop: () => Promise<void> } {
  const uri = new URL(process.env.MONGODB_URI ?? "");
  const isLocal = uri.host.startsWith("%2F") || ["127.0.0.1", "localhost"].includes(uri.hostname);
  if (!isLocal) throw new Error("Tests only run against a database on this machine.");
  uri.pathname = `/test_${randomBytes(6).toString("hex")}`;
  process.env.MONGODB_URI = uri.toString();
  handIn();
  prepareStore();
  return {
    drop: async () => {
      // Flushes pending events: written later, they would reopen the database. It does not wait for events of a killed
      // process.
      await Promise.race([writeEvents(), sleep(EVENTS_WAIT_MS, undefined, { ref: false })]);
      await database().dropDatabase();
      await closeDatabase();
    },
  };
}
