import { randomUUID } from "node:crypto";
import { routeModules } from "@/.generated/routes";
import { listEndpoints } from "@/lib/platform/api/registry";

/** All endpoints, each with a name for reports. */
export const endpoints = listEndpoints(routeModules).map((endpoint) => ({
  ...endpoint,
  name: `${endpoint.method} ${endpoint.path}`,
}));

/** Returns a path with ids; a missing one is well-formed and does not exist. */
export function pathWith(pattern: string, ids: Record<string, string> = {}): string {
  return pattern.replace(/\{(\w+)(?:\.\.\.)?\}/g, (_, name: string) => ids[name] ?? absentId(name));
}

function absentId(name: string): string {
  if (name === "token") return "x".repeat(43);
  if (name === "executionId") return randomUUID();
  return name.endsWith("Id") ? "f".repeat(24) : "absent";
}
