import type { DefinedHandler, Method } from "./route";

/** A module under app/api: its verbs, of which some carry a definition and the rest answer 405. */
export type RouteModule = { path: string; load: Record<string, unknown> };
/** One endpoint of the interface. `path` has its parameters in braces. */
export type Endpoint = { method: Method; path: string; definition: DefinedHandler["definition"] };

const METHODS: Method[] = ["GET", "POST", "PUT", "PATCH", "DELETE"];

/** Every endpoint that the given modules serve, in the order of their paths. */
export function listEndpoints(modules: RouteModule[]): Endpoint[] {
  return modules.flatMap(({ path, load }) =>
    METHODS.flatMap((method) => {
      const handler = load[method];
      return isDefined(handler) ? [{ method, path, definition: handler.definition }] : [];
    }),
  );
}

/** Whether a handler serves something, rather than refuse a verb. */
export function isDefined(handler: unknown): handler is DefinedHandler {
  return typeof handler === "function" && "definition" in handler;
}
