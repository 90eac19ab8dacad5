import type { Context } from "../context.ts";
import { optionalBool } from "../options.ts";

/** Where a command may put what its memory does not hold: beside the store's file, unless it says no (as MongoDB 6). */
export function diskFor({ command, services }: Context, name: string): string | undefined {
  const isRefused = command.has("allowDiskUse") && !optionalBool(command, name, "allowDiskUse");
  return isRefused ? undefined : services.store.path;
}
