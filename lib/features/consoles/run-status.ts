import "server-only";
import { withRunStatusOf } from "@/lib/features/runs/schedules/run-status";
import type { Caller } from "@/lib/platform/access/caller";
import type { ConsoleSummary } from "./schema";

/** Type of a console in `lib/features/runs`, for its background runs and notifications. */
export const RESOURCE_TYPE = "scheduled_query";

/** Adds schedules and last runs to consoles. */
export function withRunStatus<T extends ConsoleSummary>(
  caller: Pick<Caller, "workspaceId">,
  consoles: readonly T[],
): Promise<T[]> {
  return withRunStatusOf(caller, RESOURCE_TYPE, consoles);
}

/** Adds its schedule and last run to one console. */
export async function withOwnRunStatus<T extends ConsoleSummary>(
  caller: Pick<Caller, "workspaceId">,
  console: T,
): Promise<T> {
  const [one = console] = await withRunStatus(caller, [console]);
  return one;
}
