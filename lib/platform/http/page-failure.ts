import "server-only";
import { isStoreAway } from "@/lib/platform/db/away";
import { log } from "@/lib/platform/log";
import { noteStoreAway } from "./page-status";

/**
 * Logs the error of a page, and notes it for the page's status. The framework prints the error too, which it offers no
 * way to change (docs/operate/monitoring.md).
 * @param route the page's pattern; its path may contain secrets
 */
export function notePageFailure(error: unknown, route: string): void {
  const errorId = typeof error === "object" && error !== null && "digest" in error ? error.digest : undefined;
  log.error({ err: error, route, errorId }, "a page failed");
  if (isStoreAway(error)) noteStoreAway();
}
