const MIB = 1024 * 1024;
const MINUTE_MS = 60_000;

/** Of a build, and of a dev server: as long as it takes 10,000 modules, and no longer than a person waits. */
export const BUILD_MS_MAX = 2 * MINUTE_MS;
export const CPUS = 2;
export const MEMORY_BYTES_MAX = 2 * 1024 * MIB;
/** A builder and its threads are one process; bubblewrap's own are two. */
export const PROCESSES_MAX = 16;
/** A builder has some thirty, on a machine of many cores a hundred; each that is there is looked at, four times a second. */
export const THREADS_MAX = 400;
export const OUTPUT_BYTES_MAX = 200 * MIB;
export const OUTPUT_FILES_MAX = 5_000;
/** More is read by nobody; a build that says more is ended. */
export const LOG_BYTES_MAX = MIB;
/** Of one line; the rest of it is cut off. */
export const LINE_CHARS_MAX = 2_000;
/** What a builder puts down beside the app: caches. In memory, within the sandbox. */
export const SCRATCH_BYTES_MAX = 64 * MIB;
/** The app's own files, and as much again for what is written while one is replaced. */
export const FILES_BYTES_MAX = 400 * MIB;
/** Of an app, from a registry. As much as a page of charts and tables is made of; each build and each start fetches them. */
export const PACKAGES_MAX = 300;
export const PACKAGES_BYTES_MAX = 100 * MIB;
export const PACKAGE_FILES_MAX = 20_000;
/** Of one, packed. */
export const PACKAGE_BYTES_MAX = 32 * MIB;
export const PACKAGES_AT_ONCE = 8;
export const INSTALL_MS_MAX = MINUTE_MS;
/** Two cores are one build's; a second one makes both slower, a third would wait anyway. */
export const BUILDS_AT_ONCE = 2;
/** Who comes later is told to try again. */
export const BUILDS_WAITING_MAX = 20;
/** A dev server on a machine that is busy with others. */
export const START_MS_MAX = 30_000;
/** Of one server: each holds a quarter of a gigabyte. */
export const SESSIONS_MAX = 4;
/** Without a request. */
export const SESSION_IDLE_MS = 15 * MINUTE_MS;
