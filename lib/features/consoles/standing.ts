import "server-only";
import { withStandingOf } from "@/lib/features/runs/schedules/standing";
import type { Caller } from "@/lib/platform/access/caller";
import type { ConsoleSummary } from "./schema";

/** What has runs in the background and notifications of a console: `lib/features/runs` knows it by this name. */
export const RESOURCE_TYPE = "scheduled_query";

/** The consoles with their schedules and last runs. */
export function withStanding<T extends ConsoleSummary>(
  caller: Pick<Caller, "workspaceId">,
  consoles: readonly T[],
): Promise<T[]> {
  return withStandingOf(caller, RESOURCE_TYPE, consoles);
}

/** The same for one. */
export async function withOwnStanding<T extends ConsoleSummary>(
  caller: Pick<Caller, "workspaceId">,
  console: T,
): Promise<T> {
  const [one = console] = await withStanding(caller, [console]);
  return one;
}
