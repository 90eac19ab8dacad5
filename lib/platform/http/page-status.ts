import { AsyncLocalStorage } from "node:async_hooks";
import type { ServerResponse } from "node:http";
import { serverMember } from "../process/server-context.ts";

/** Paths of routes, which answer their failures themselves, and of files. */
const NOT_A_PAGE = /^\/(?:api|git|_next)(?:[/?]|$)/;
/** An unreachable store is usually back by then: it restarts within a second or two. */
const RETRY_AFTER_SECONDS = 2;

export type PageRequest = { isStoreAway: boolean };

const pageRequests = serverMember("pageRequests", () => new AsyncLocalStorage<PageRequest>());

/**
 * Serves a request. A page that fails because the store is unreachable is answered with 503 and Retry-After: the
 * framework answers each failure of a page with 500.
 */
export function withPageStatus(url: string | undefined, response: ServerResponse, serve: () => void): void {
  if (NOT_A_PAGE.test(url ?? "")) {
    serve();
    return;
  }
  const page: PageRequest = { isStoreAway: false };
  const writeHead = response.writeHead.bind(response) as (status: number, ...rest: unknown[]) => ServerResponse;
  response.writeHead = (status: number, ...rest: unknown[]) => {
    if (status !== 500 || !page.isStoreAway) return writeHead(status, ...rest);
    response.setHeader("Retry-After", String(RETRY_AFTER_SECONDS));
    return writeHead(503, ...rest);
  };
  pageRequests().run(page, serve);
}

/** Notes that the page of this asynchronous context fails because the store is unreachable. */
export function noteStoreAway(): void {
  const page = pageRequests().getStore();
  if (page) page.isStoreAway = true;
}
