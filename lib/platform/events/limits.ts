/** Interval of a stream's heartbeat: short enough for someone who watches a page. Shared by browser and server. */
export const HEARTBEAT_SECONDS = 10;
