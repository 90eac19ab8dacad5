/** Media type of answers whose lines are JSON. */
export const NDJSON = "application/x-ndjson";
