import type { Context } from "./context.ts";
import { optionalBool } from "./options.ts";

/**
 * Returns the path beside which a command may spill to disk (the store's file); undefined when it sets
 * `allowDiskUse: false` (as in MongoDB 6).
 */
export function diskFor({ command, services }: Context, name: string): string | undefined {
  const isRefused = command.has("allowDiskUse") && !optionalBool(command, name, "allowDiskUse");
  return isRefused ? undefined : services.store.path;
}
