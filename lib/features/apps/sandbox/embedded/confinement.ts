import "server-only";
import { randomUUID } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import {
  APP_FOLDER,
  CARRIED_FOLDER,
  NODE_PROGRAM,
  PACKAGES_FOLDER,
  PROGRAM_FOLDER,
} from "@/lib/platform/embedded/sandbox/places";
import { env } from "@/lib/platform/env";
import { processRequired } from "@/lib/platform/http/require-process";
import { type Confinement, confined, type Mount, readable, tryBubblewrap } from "@/lib/platform/process/bubblewrap";
import { childEntry } from "@/lib/platform/process/entries";
import { serverMember } from "@/lib/platform/process/server-context";
import {
  BUILD_MS_MAX,
  CPUS,
  FILES_BYTES_MAX,
  MEMORY_BYTES_MAX,
  PACKAGES_BYTES_MAX,
  SCRATCH_BYTES_MAX,
} from "../limits";
import type { Availability } from "../sandbox";
import { canWatch } from "./watch";

/** Paths of system libraries. */
const SYSTEM = /^\/(?:usr\/)?lib/;
const C_LIBRARY = /\/libc\.so\.\d+$/;
/** Part of glibc, where it is still a separate file, that the builder loads and Node.js does not. */
const CLOCKS = "librt.so.1";
/** Packages that a build runs; their dependencies are read from their manifests. */
const BUILDERS = ["vite", "@vitejs/plugin-react"];
/** Unprivileged user id on this machine. */
const OWN_USER = "65534";
const KIB = 1024;
const BLOCK = 512;
const OPEN_FILES_MAX = 4096;

/** `mark` is in the arguments of bubblewrap's processes, and of no others. */
export type SandboxCommand = { command: string; args: readonly string[]; mark: string };
type Purpose = "build" | "session";

/**
 * Returns the command that runs a sandbox's child: bubblewrap, within the limits that a shell can set. Files are in
 * memory and disappear with it. The root holds only libraries, Node.js, the builder and the bundled packages.
 * @param entry program of the child; tests use others
 */
export function sandboxCommand(
  purpose: Purpose,
  carriedFolder: string,
  entry: string = childEntry("sandbox"),
): SandboxCommand {
  const mark = `sandbox-${randomUUID()}`;
  const mounts = [...programMounts(entry), { from: carriedFolder, to: CARRIED_FOLDER, mode: "read" } as const];
  const heapMib = MEMORY_BYTES_MAX / KIB / KIB / 2;
  const inside = confined(root(mounts, mark), [NODE_PROGRAM, `--max-old-space-size=${heapMib}`, entryInside(entry)]);
  const limits = [
    "ulimit -c 0",
    `ulimit -n ${OPEN_FILES_MAX}`,
    `ulimit -d ${MEMORY_BYTES_MAX / KIB}`,
    `ulimit -f ${FILES_BYTES_MAX / BLOCK}`,
    ...(purpose === "build" ? [`ulimit -t ${(CPUS * BUILD_MS_MAX) / 1000}`] : []),
    // A separate argument, so that no value is read as part of the script.
    'exec bwrap "$@"',
  ];
  return { command: "/bin/sh", args: ["-c", limits.join(" && "), "sh", ...inside], mark };
}

/**
 * Returns the environment, with thread counts for the CPUs that a build may use, and nothing from the platform's
 * environment.
 */
export function sandboxEnvironment(purpose: Purpose): NodeJS.ProcessEnv {
  const threads = String(CPUS);
  return {
    NODE_ENV: purpose === "build" ? "production" : "development",
    LD_LIBRARY_PATH: [...new Set(libraries().map((file) => dirname(file)))].join(":"),
    HOME: "/tmp",
    TMPDIR: "/tmp",
    PATH: dirname(NODE_PROGRAM),
    NODE_DISABLE_COMPILE_CACHE: "1",
    NO_COLOR: "1",
    UV_THREADPOOL_SIZE: "4",
    RAYON_NUM_THREADS: threads,
    TOKIO_WORKER_THREADS: threads,
    ROLLDOWN_WORKER_THREADS: threads,
    ROLLDOWN_MAX_BLOCKING_THREADS: "4",
  };
}

/**
 * Returns the availability, probed once: a missing dependency is installed while the server is stopped, or needs a
 * restart.
 */
export const availability = serverMember("appSandbox", probe);

function probe(): Availability {
  if (env().isVercel) return { isAvailable: false, what: processRequired("Previews and builds of apps") };
  if (process.platform !== "linux") {
    return { isAvailable: false, what: "Building apps requires Linux. Run the server on Linux or in a container." };
  }
  if (!canWatch()) {
    return {
      isAvailable: false,
      what: "Building apps requires a kernel with CONFIG_PROC_CHILDREN.",
    };
  }
  const failure = tryBubblewrap(
    confined(root([], "sandbox"), [NODE_PROGRAM, "--version"]),
    sandboxEnvironment("build"),
  );
  if (failure === null) return { isAvailable: true };
  const isMissing = failure.includes("ENOENT");
  return {
    isAvailable: false,
    what: isMissing
      ? "Install bubblewrap 0.8 or later on the server (apt install bubblewrap) and restart it."
      : `Bubblewrap does not work on the server: ${lastLine(failure)}. It needs version 0.8 or later, and user namespaces (sysctl kernel.unprivileged_userns_clone=1, kernel.apparmor_restrict_unprivileged_userns=0; in Docker, --security-opt seccomp=unconfined --security-opt systempaths=unconfined). Then restart the server.`,
  };
}

function root(mounts: readonly Mount[], hostname: string): Confinement {
  return {
    folder: APP_FOLDER,
    hasProcesses: false,
    isClosed: true,
    options: [
      ...["--unshare-user", "--disable-userns", "--uid", OWN_USER, "--gid", OWN_USER, "--cap-drop", "ALL"],
      ...["--hostname", hostname],
      ...["--size", String(SCRATCH_BYTES_MAX), "--tmpfs", "/tmp"],
      ...["--size", String(FILES_BYTES_MAX), "--tmpfs", APP_FOLDER],
      // A file takes whole pages of memory.
      ...["--size", String(2 * PACKAGES_BYTES_MAX), "--tmpfs", PACKAGES_FOLDER],
    ],
    mounts: [
      ...readable(libraries()),
      { from: process.execPath, to: NODE_PROGRAM, mode: "read" },
      ...mounts,
      ...builderPackages().map(
        (name): Mount => ({
          from: packageFolder(name),
          to: `${PROGRAM_FOLDER}/node_modules/${name}`,
          mode: "read",
        }),
      ),
    ],
  };
}

/**
 * Returns the libraries that Node.js has loaded, which are those that the builder needs. Mounting their whole folder
 * would reveal what is installed here.
 */
const libraries = serverMember("appSandboxLibraries", () => {
  // Without this, a report resolves the host names of all connections.
  const report = process.report as typeof process.report & { excludeNetwork: boolean };
  report.excludeNetwork = true;
  const { sharedObjects } = report.getReport() as unknown as { sharedObjects: string[] };
  const loaded = sharedObjects.filter((file) => SYSTEM.test(file));
  return [...loaded, ...loaded.filter((file) => C_LIBRARY.test(file)).map((file) => join(dirname(file), CLOCKS))];
});

/**
 * Mounts of the program: the bundle, or its source files, never the project's folder, which may contain the data
 * folder.
 */
function programMounts(entry: string): Mount[] {
  if (!entry.endsWith(".ts")) return [{ from: entry, to: entryInside(entry), mode: "read" }];
  return [
    { from: dirname(entry), to: dirname(entryInside(entry)), mode: "read" },
    { from: join(process.cwd(), "package.json"), to: `${PROGRAM_FOLDER}/package.json`, mode: "read" },
  ];
}

function entryInside(entry: string): string {
  return `${PROGRAM_FOLDER}/program/${basename(entry)}`;
}

function packageFolder(name: string): string {
  return join(/* turbopackIgnore: true */ process.cwd(), "node_modules", name);
}

/** Returns the builder's package and all installed dependencies; binaries for other systems are not installed. */
const builderPackages = serverMember("appBuilderPackages", () => {
  const found = new Set<string>();
  const visit = (name: string) => {
    const file = join(packageFolder(name), "package.json");
    if (found.has(name) || !existsSync(file)) return;
    found.add(name);
    const { dependencies, optionalDependencies } = JSON.parse(readFileSync(file, "utf8")) as Record<
      string,
      Record<string, string> | undefined
    >;
    for (const each of Object.keys({ ...dependencies, ...optionalDependencies })) visit(each);
  };
  for (const name of BUILDERS) visit(name);
  return [...found];
});

function lastLine(text: string): string {
  return text.trimEnd().split("\n").at(-1) ?? "";
}
