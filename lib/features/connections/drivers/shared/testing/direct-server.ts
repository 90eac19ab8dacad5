import { directDialer } from "@/lib/platform/net/dialer";
import type { ServerSide } from "../server";

/** Without a tunnel and without limits, for tests that open the parts of a driver. */
export function directServer(): ServerSide {
  return { dialer: directDialer("database"), schemas: null, statementTimeoutMs: null };
}
