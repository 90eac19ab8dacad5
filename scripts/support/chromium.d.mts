/** Finds a browser for the tests, or fetches one. */
export function ensureChromium(): Promise<string>;
