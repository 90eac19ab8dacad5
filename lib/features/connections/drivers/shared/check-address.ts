import "server-only";
import { setTimeout as sleep } from "node:timers/promises";
import { AppError } from "@/lib/platform/http/errors";
import type { Purpose } from "@/lib/platform/net/address";
import { checkTarget } from "@/lib/platform/net/judge";

const LOOK_UP_TIMEOUT_MS = 5000;

/**
 * Checks an address before it is stored (T30, T38). It is checked again at every connect; a name that cannot be
 * resolved now may exist later.
 * @throws AppError `address_refused`, `invalid_request`
 */
export async function checkAddress(host: string, port: number, purpose: Purpose = "database"): Promise<void> {
  try {
    // A name service that does not answer delays no one.
    const patience = sleep(LOOK_UP_TIMEOUT_MS, undefined, { ref: false });
    await Promise.race([checkTarget({ purpose, host, port }), patience]);
  } catch (error) {
    if (error instanceof AppError && (error.kind === "address_refused" || error.kind === "invalid_request"))
      throw error;
  }
}
