/**
 * The packages that apps import: a file each, made by our own build (`carried-main.ts`), once for development and once
 * for production. The key is what an app writes.
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

/** The script that runs in a page before the app's own. */
export const BOOT = "boot.js";

/** As a message names them. */
export const CARRIED_WORDS = "react, react-dom, vega-embed and @millrace/app";

/** The file of a package that apps may import; null for any other. */
export function carriedFile(specifier: string): string | null {
  return Object.hasOwn(CARRIED, specifier) ? `${CARRIED[specifier as CarriedName]}.js` : null;
}

/** True for what names a package and no file: neither relative, nor absolute, nor an address, nor a module of the builder's own. */
export function isBare(specifier: string): boolean {
  return /^[^./\0]/.test(specifier) && !/^[a-z][a-z0-9+.-]*:/i.test(specifier);
}
