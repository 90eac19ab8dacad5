/** Where things lie inside of a sandbox. */
export const APP_FOLDER = "/app";
/** Holds `node_modules`; there only where apps may have packages of a registry. Beside the app: they are none of its files. */
export const PACKAGES_FOLDER = "/packages";
/** From where on a package is looked for. */
export const PACKAGES_ENTRY = `${PACKAGES_FOLDER}/package.json`;
export const CARRIED_FOLDER = "/carried";
export const CACHE_FOLDER = "/tmp/vite";
export const PROGRAM_FOLDER = "/sandbox";
export const NODE_PROGRAM = "/bin/node";
