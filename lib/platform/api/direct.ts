import "server-only";
import { answerDirectly } from "@/lib/platform/http/direct";
import type { Method, RouteHandler } from "./route";

/** Verbs of routes by path, as the framework names both. */
export type DirectRoutes = Readonly<Record<string, Partial<Record<Method, RouteHandler>>>>;

/**
 * Answers these routes before the framework (docs/develop/performance.md): those that are called so often, or are so
 * small, that its overhead matters. They stay routes of the framework, for all other requests and for platforms that
 * have a different server.
 */
export function answerRoutesDirectly(routes: DirectRoutes): void {
  for (const [path, verbs] of Object.entries(routes)) {
    for (const [method, handler] of Object.entries(verbs)) {
      answerDirectly(method, path, (request, params) => handler(request, { params: Promise.resolve(params) }));
    }
  }
}
