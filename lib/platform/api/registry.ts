import type { DefinedHandler, Method } from "./route";

/** A module under app/api: some of its verbs have a definition and the rest answer 405. */
export type RouteModule = { path: string; load: Record<string, unknown> };
/** An endpoint of the API. `path` has its parameters in braces. */
export type Endpoint = { method: Method; path: string; definition: DefinedHandler["definition"] };

const METHODS: Method[] = ["GET", "POST", "PUT", "PATCH", "DELETE"];

/** Returns all endpoints of the given modules, sorted by path. */
export function listEndpoints(modules: RouteModule[]): Endpoint[] {
  return modules.flatMap(({ path, load }) =>
    METHODS.flatMap((method) => {
      const handler = load[method];
      return isDefined(handler) ? [{ method, path, definition: handler.definition }] : [];
    }),
  );
}

/** Returns whether a handler serves a verb, rather than refuse it. */
export function isDefined(handler: unknown): handler is DefinedHandler {
  return typeof handler === "function" && "definition" in handler;
}
