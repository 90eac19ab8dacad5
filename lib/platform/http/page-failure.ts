import "server-only";
import { isStoreAway } from "@/lib/platform/db/away";
import { noteStoreAway } from "./page-status";

/** Notes the error of a page, for its status. The framework has logged it. */
export function notePageFailure(error: unknown): void {
  if (isStoreAway(error)) noteStoreAway();
}
