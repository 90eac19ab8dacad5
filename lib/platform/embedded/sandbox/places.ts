/** Paths inside a sandbox. */
export const APP_FOLDER = "/app";
/**
 * Holds `node_modules`, only where apps may use packages of a registry. It is outside the app folder, because packages
 * are not files of the app.
 */
export const PACKAGES_FOLDER = "/packages";
/** Module from which packages are resolved. */
export const PACKAGES_ENTRY = `${PACKAGES_FOLDER}/package.json`;
export const CARRIED_FOLDER = "/carried";
export const CACHE_FOLDER = "/tmp/vite";
export const PROGRAM_FOLDER = "/sandbox";
export const NODE_PROGRAM = "/bin/node";
