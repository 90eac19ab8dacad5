/** Limits of consoles. Safe to import in the browser. */

/** Maximum number of search results, best first. */
export const SEARCH_HITS_MAX = 50;
