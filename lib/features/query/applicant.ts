import { driverOf } from "@/lib/features/connections/drivers/registry";
import type { ConnectionDoc } from "@/lib/features/connections/model";
import type { Caller } from "@/lib/platform/access/caller";
import type { Applicant } from "./admission";

/** Returns the caller as they apply for a slot of the connection; a key or job applies as its creator. */
export function applicantOf({ workspaceId, user }: Caller, connection: ConnectionDoc): Applicant {
  return {
    workspaceId: workspaceId.toHexString(),
    connectionId: connection._id.toHexString(),
    userId: user._id.toHexString(),
    queriesMax: driverOf(connection.type).queriesMax?.(connection.config),
  };
}
