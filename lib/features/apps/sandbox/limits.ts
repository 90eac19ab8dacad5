const MIB = 1024 * 1024;
const MINUTE_MS = 60_000;

/** Time limit of a build, and of starting a dev server: enough for 10,000 modules, and no longer than a user waits. */
export const BUILD_MS_MAX = 2 * MINUTE_MS;
export const CPUS = 2;
export const MEMORY_BYTES_MAX = 2 * 1024 * MIB;
/** A builder with its threads is one process; bubblewrap adds two. */
export const PROCESSES_MAX = 16;
/** A builder uses about 30, or 100 on a machine with many cores; each thread is read four times a second. */
export const THREADS_MAX = 400;
export const OUTPUT_BYTES_MAX = 200 * MIB;
export const OUTPUT_FILES_MAX = 5_000;
/** A longer log is of no use to anyone; the build is stopped. */
export const LOG_BYTES_MAX = MIB;
/** Maximum length of one line; the rest is cut off. */
export const LINE_CHARS_MAX = 2_000;
/** Builder caches, in memory within the sandbox. */
export const SCRATCH_BYTES_MAX = 64 * MIB;
/** The app's files, and the same again for copies written while a file is replaced. */
export const FILES_BYTES_MAX = 400 * MIB;
/**
 * Packages of an app from a registry. Enough for a page of charts and tables; each build and each start downloads them.
 */
export const PACKAGES_MAX = 300;
export const PACKAGES_BYTES_MAX = 100 * MIB;
export const PACKAGE_FILES_MAX = 20_000;
/** Of one package, compressed. */
export const PACKAGE_BYTES_MAX = 32 * MIB;
export const PACKAGES_AT_ONCE = 8;
export const INSTALL_MS_MAX = MINUTE_MS;
/** A build takes two cores; a second one makes both slower, a third would only wait. */
export const BUILDS_AT_ONCE = 2;
/** Later builds are refused with the advice to try again. */
export const BUILDS_WAITING_MAX = 20;
/** Allows for a machine that is busy with other dev servers. */
export const START_MS_MAX = 30_000;
/** Per server: each takes 256 MB. */
export const SESSIONS_MAX = 4;
/** Time without a request after which a session ends. */
export const SESSION_IDLE_MS = 15 * MINUTE_MS;
