import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const ROOT = fileURLToPath(new URL("../../../../", import.meta.url));

/**
 * Bundles a module of this folder, which uses the product by its "@/" names, into a file that a process of its own runs.
 * @returns its path
 */
export async function bundleChild(name: string): Promise<string> {
  const outfile = `${ROOT}node_modules/.cache/repository-${name}-${process.pid}.mjs`;
  await build({
    entryPoints: [`${ROOT}lib/features/repository/testing/${name}.ts`],
    outfile,
    alias: { "server-only": `${ROOT}test/empty.ts` },
    bundle: true,
    packages: "external",
    platform: "node",
    target: "node24",
    format: "esm",
    logLevel: "warning",
  });
  return outfile;
}

/** Starts a bundled module with one argument, on the same store as the test. */
export function startChild(file: string, task: unknown): ChildProcess {
  return fork(file, [JSON.stringify(task)], { env: process.env, stdio: ["ignore", "ignore", "inherit", "ipc"] });
}

/** How a child ended, and all that it sent. */
export async function finished<T>(
  child: ChildProcess,
): Promise<{ code: number | null; signal: string | null; sent: T[] }> {
  const sent: T[] = [];
  child.on("message", (message) => sent.push(message as T));
  const [code, signal] = await once(child, "close");
  return { code, signal, sent };
}
