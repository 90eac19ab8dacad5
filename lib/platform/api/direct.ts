import "server-only";
import { answerDirectly } from "@/lib/platform/http/direct";
import type { Method, RouteHandler } from "./route";

/** Verbs of routes by their paths, as the framework names both. */
export type DirectRoutes = Readonly<Record<string, Partial<Record<Method, RouteHandler>>>>;

/**
 * Has these answered before the framework (docs/develop/performance.md): what is called so often, or is so small, that its work
 * counts. They stay routes of it, for all it answers otherwise and for platforms that have their own server.
 */
export function answerRoutesDirectly(routes: DirectRoutes): void {
  for (const [path, verbs] of Object.entries(routes)) {
    for (const [method, handler] of Object.entries(verbs)) {
      answerDirectly(method, path, (request, params) => handler(request, { params: Promise.resolve(params) }));
    }
  }
}
