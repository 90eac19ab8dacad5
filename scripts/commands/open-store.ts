import "server-only";
import { closeDatabase } from "@/lib/platform/db/client";
import { refuseNewerSchema } from "@/lib/platform/db/schema-migration";
import { SCHEMA_VERSION } from "@/lib/platform/db/schema-version";
import { env } from "@/lib/platform/env";
import { writeNow } from "@/lib/platform/events/publish";
import { ensureStoreService } from "@/lib/platform/process/store-service";
import { CommandError } from "./command-error";

const STORE_START_TIMEOUT_MS = 45_000;

/**
 * Joins the store of a running server, or starts it for this command.
 * @param isAlone whether to refuse beside a running server
 * @returns a function that closes it; call it in any case
 * @throws NewerSchema; ServiceDown; CommandError beside a server
 */
export async function openStore({ isAlone = false } = {}): Promise<() => Promise<void>> {
  const { isEmbeddedStore, DATA_DIR, STORE_DURABILITY } = env();
  const store = isEmbeddedStore ? ensureStoreService({ dataDir: DATA_DIR, durability: STORE_DURABILITY }) : null;
  const close = async () => {
    // Else an event that is being written fails with the closed client.
    await writeNow();
    await closeDatabase();
    await store?.stop();
  };
  try {
    await store?.whenUp(STORE_START_TIMEOUT_MS);
    if (isAlone && store?.isOwner() === false) {
      throw new CommandError("A server is using this DATA_DIR. Stop it first.");
    }
    await refuseNewerSchema(SCHEMA_VERSION);
    return close;
  } catch (error) {
    await close();
    throw error;
  }
}
