import { lstatSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";

/** A function that a platform creates from a build. */
export type TracedFunction = { name: string; bytes: number; files: string[] };

const TRACE = ".nft.json";
/** File that every function includes beside its entry: the framework's server. */
const SERVER_TRACE = `next-server.js${TRACE}`;

/**
 * Returns the functions of a build, the largest first, with the unpacked size of each.
 * @param distDir the build's folder
 * @param root folder that file names are relative to
 */
export function readFunctions(distDir: string, root: string): TracedFunction[] {
  const shared = readTrace(join(distDir, SERVER_TRACE));
  const server = join(distDir, "server");
  return readdirSync(server, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(TRACE))
    .map((file) => {
      const trace = join(server, file);
      const code = trace.slice(0, -TRACE.length);
      const files = [...new Set([...shared, ...readTrace(trace), code])];
      const bytes = files.reduce((sum, each) => sum + sizeOf(each), 0);
      return { name: file.slice(0, -`.js${TRACE}`.length), bytes, files: files.map((each) => relative(root, each)) };
    })
    .sort((a, b) => b.bytes - a.bytes);
}

function readTrace(trace: string): string[] {
  const { files } = JSON.parse(readFileSync(trace, "utf8")) as { files: string[] };
  return files.map((file) => resolve(dirname(trace), file));
}

/** Returns the size of a file. Links count as nothing: their targets are in the list too. */
function sizeOf(file: string): number {
  const found = lstatSync(file, { throwIfNoEntry: false });
  return found?.isFile() ? found.size : 0;
}
