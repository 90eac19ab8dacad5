/**
 * Bundled packages that apps can import: one file each, made by our own build (`carried-main.ts`), for development and
 * for production. The key is the specifier in an app.
 */
export const CARRIED = {
  react: "react",
  "react/jsx-runtime": "react-jsx-runtime",
  "react/jsx-dev-runtime": "react-jsx-dev-runtime",
  "react-dom": "react-dom",
  "react-dom/client": "react-dom-client",
  "vega-embed": "vega-embed",
  "@millrace/app": "millrace-app",
} as const;

export type CarriedName = keyof typeof CARRIED;
export type CarriedMode = "development" | "production";

/** Script that runs in a page before the app's code. */
export const BOOT = "boot.js";

/** Names of the packages for messages. */
export const CARRIED_WORDS = "react, react-dom, vega-embed and @millrace/app";

/** Returns the file of a bundled package; null for any other specifier. */
export function carriedFile(specifier: string): string | null {
  return Object.hasOwn(CARRIED, specifier) ? `${CARRIED[specifier as CarriedName]}.js` : null;
}

/**
 * Returns true for a specifier that names a package: neither relative, nor absolute, nor a URL, nor an internal module
 * of the builder.
 */
export function isBare(specifier: string): boolean {
  return /^[^./\0]/.test(specifier) && !/^[a-z][a-z0-9+.-]*:/i.test(specifier);
}
