/** Stands in the browser for parts of the framework that none of today needs (next.config.ts). */
export const env = {};
