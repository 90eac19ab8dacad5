/** Where things lie inside of a sandbox. */
export const APP_FOLDER = "/app";
export const CARRIED_FOLDER = "/carried";
export const PROGRAM_FOLDER = "/sandbox";
export const NODE_PROGRAM = "/bin/node";
