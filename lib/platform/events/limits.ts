/** How often a stream says that it is alive: often enough for somebody who watches a page. Browser and server share it. */
export const HEARTBEAT_SECONDS = 10;
