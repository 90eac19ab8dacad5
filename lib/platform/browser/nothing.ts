/** Replaces parts of the framework that browsers do not need today (next.config.ts). */
export const env = {};
