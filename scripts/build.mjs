import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { BUILT, clearBuildStamp, hashSources, isBuildCurrent, STAMP, writeBuildStamp } from "./support/build-stamp.mjs";
import { bundleCommands } from "./support/command.mjs";
import { withLock } from "./support/lock.mjs";
import { inRoot, lockPath, ROOT } from "./support/paths.mjs";
import { precompress } from "./support/precompress.mjs";
import { capture, main, run, ScriptError } from "./support/run.mjs";
import { ensureRuntime } from "./support/runtime.mjs";
import { step } from "./support/step.mjs";

/**
 * Builds, unless the last build is of the current sources. Shows the bundler's output only if it fails.
 * @param {{ keepsCache?: boolean }} [options] false drops the cache of the next build, which is half as large again as
 * the rest of a build
 */
export async function buildIfStale({ keepsCache = true } = {}) {
  if (isBuildCurrent()) return;
  await withLock(
    lockPath("build"),
    async () => {
      if (isBuildCurrent()) return;
      await step("Building", () => build(quietly, keepsCache));
      if (!keepsCache) rmSync(inRoot(".next", "cache"), { recursive: true, force: true });
    },
    () => console.log("Waiting for another build of this folder ..."),
  );
}

/** @param {typeof run} runBundler @param {boolean} keepsCache */
async function build(runBundler, keepsCache) {
  await makeBootScript();
  const hash = hashSources();
  clearBuildStamp();
  const { generateRoutes } = await import("./routes.mjs");
  generateRoutes();
  await bundleChildren();
  await bundleCommands(inRoot("dist", "commands"));
  const { makeCarried } = await import("../lib/platform/embedded/sandbox/carried-main.ts");
  await makeCarried(inRoot("dist", "carried"), inRoot());
  const code = await runBundler(process.execPath, [inRoot("node_modules", "next", "dist", "bin", "next"), "build"], {
    env: {
      ...process.env,
      NODE_ENV: "production",
      NEXT_TELEMETRY_DISABLED: "1",
      ...(!keepsCache && { BUILD_CACHE: "off" }),
    },
  });
  if (code !== 0) throw new ScriptError("The build failed. See the messages above.");
  await precompress(join(BUILT, "static"));
  writeBuildStamp(hash);
}

/**
 * Copies the build of another checkout, unless its sources differ from those of this folder or this folder has one.
 * @param {string} checkout
 */
export async function adoptBuild(checkout) {
  await withLock(lockPath("build"), async () => {
    await makeBootScript();
    const hash = hashSources();
    if (isBuildCurrent() || readFileSync(join(checkout, basename(BUILT), basename(STAMP)), "utf8") !== hash) return;
    for (const name of existsSync(BUILT) ? readdirSync(BUILT) : []) {
      // The bundler compares its cache with the sources itself.
      if (name !== "cache") rmSync(join(BUILT, name), { recursive: true });
    }
    rmSync(inRoot("dist"), { recursive: true, force: true });
    // The stamp marks a complete copy, so it is written last. Compiled code belongs to the paths of its files.
    const filter = (file) => ![basename(STAMP), "compile-cache"].includes(basename(file));
    for (const name of [basename(BUILT), "dist"]) {
      cpSync(join(checkout, name), inRoot(name), { recursive: true, verbatimSymlinks: true, filter });
    }
    // The framework writes a build's folder into these files only.
    const files = ["json", "js"].map((type) => join(BUILT, `required-server-files.${type}`));
    const { appDir } = JSON.parse(readFileSync(files[0], "utf8"));
    for (const file of files) writeFileSync(file, readFileSync(file, "utf8").replaceAll(appDir, ROOT));
    writeBuildStamp(hash);
  });
}

/**
 * Builds boot.js. Every page waits for it, so its texts stay in it. Runs before the sources are hashed, which include
 * it.
 */
export async function makeBootScript() {
  const esbuild = await import("esbuild");
  const entryPoints = [inRoot("components", "shell", "boot.js")];
  await esbuild.build({ entryPoints, outfile: inRoot("public", "boot.js"), minify: true, target: "es2022" });
}

/** Calls `run`, and shows the program's output only if it fails. */
async function quietly(command, args, options) {
  const { code, output } = await capture(command, args, options);
  if (code !== 0) console.error(`\n${output.trim()}`);
  return code;
}

/**
 * Bundles each child process into one file; packages stay in node_modules, since some are native. @param {string}
 * [outdir]
 */
export async function bundleChildren(outdir = inRoot("dist")) {
  const esbuild = await import("esbuild");
  const { CHILD_ENTRIES } = await import("../lib/platform/process/entries.ts");
  await esbuild.build({
    entryPoints: Object.entries(CHILD_ENTRIES)
      .filter(([, source]) => existsSync(inRoot(source)))
      .map(([out, source]) => ({ in: inRoot(source), out })),
    outdir,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    packages: "external",
    platform: "node",
    target: "node24",
    format: "esm",
    sourcemap: "linked",
    logLevel: "warning",
  });
  // Otherwise its process would live as long as the server that is built first.
  await esbuild.stop();
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  await main(async () => {
    await ensureRuntime(fileURLToPath(import.meta.url));
    await withLock(lockPath("build"), () => build(run, true));
  });
}
