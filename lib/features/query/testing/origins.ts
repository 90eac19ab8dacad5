import type { OriginVisibility } from "../executions";
import type { QueryOrigin } from "../model";

/** The origin of a query that somebody sends on its own. */
export const ADHOC: QueryOrigin = { kind: "adhoc", id: null };
/** A workspace without consoles, dashboards and apps. */
export const NOTHING_VISIBLE: OriginVisibility = {
  console: async () => new Set(),
  dashboard: async () => new Set(),
  app: async () => new Set(),
};
