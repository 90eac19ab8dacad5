import { globSync, readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const root = fileURLToPath(new URL(".", import.meta.url));
const alias = {
  "@": root.replace(/\/$/, ""),
  // The real module throws outside of a server bundle; under test everything is the server.
  "server-only": `${root}test/empty.ts`,
  // The build for bundlers, as in the product; the one for Node.js is removed from an installation (trim.mjs).
  "lucide-react": `${root}node_modules/lucide-react/dist/esm/lucide-react.mjs`,
};

/** A stub of a module, a clock or a setting would stay active in the next file of the same process. */
const TOUCHES_OTHERS = /\bvi\b|process\.env|globalThis|setPriority|chdir/;
/** Settings and the server context are renewed between the files (test/fresh.setup.ts). */
const TOUCHES_OTHER_INT = /\bvi\.(?!wait|setConfig)|globalThis|[gs]etPriority|chdir|childrenOf\(process/;
/** Starting a process for each file takes half of the time of all tests, so files without side effects share one. */
const unitFiles = split("{app,lib,components,inngest,emails,scripts,test}/**/!(*.int).test.{ts,tsx}", TOUCHES_OTHERS);
const intFiles = split("{app,lib,inngest,scripts,test}/**/*.int.test.ts", TOUCHES_OTHER_INT);

/** @returns the files that match a pattern and their texts an expression (`alone`), and the other ones */
function split(pattern: string, touchesOthers: RegExp): { alone: string[]; together: string[] } {
  const files = globSync(pattern, { cwd: root, exclude: (path) => path === "node_modules" });
  const [alone, together] = [true, false].map((isAlone) =>
    files.filter((path) => touchesOthers.test(readFileSync(`${root}${path}`, "utf8")) === isAlone),
  ) as [string[], string[]];
  return { alone, together };
}

const unit = {
  // Time is no guarantee of these: a busy machine must not fail them.
  testTimeout: 60_000,
};

const int = {
  globalSetup: ["test/store.setup.ts"],
  // As above. What has to be done in time says so itself.
  testTimeout: 120_000,
  hookTimeout: 120_000,
  // No test judges elapsed time, so a poll without an explicit limit also waits for a busy machine.
  expect: { poll: { timeout: 30_000 } },
};

export default defineConfig({
  resolve: { alias },
  test: {
    setupFiles: ["test/quiet.setup.ts"],
    tags: [
      {
        name: "heavy",
        description: "takes half a second of processor time or more: `npm test` runs it, `npm run check` does not",
      },
      {
        name: "long",
        description: "takes long, or repeats a shorter test with other values: `npm run test:long` alone runs it",
      },
    ],
    // The default leaves two cores with one: many of the files wait for servers, children and time limits.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    // Those of one file that run side by side do nothing but wait.
    maxConcurrency: 20,
    // It imports parts of Next by paths that only a bundler resolves.
    server: { deps: { inline: ["next-auth"] } },
    projects: [
      { extends: true, test: { name: "unit", include: unitFiles.together, isolate: false, ...unit } },
      { extends: true, test: { name: "unit-alone", include: unitFiles.alone, ...unit } },
      {
        extends: true,
        test: {
          name: "int",
          include: intFiles.together,
          isolate: false,
          setupFiles: ["test/quiet.setup.ts", "test/fresh.setup.ts"],
          ...int,
        },
      },
      { extends: true, test: { name: "int-alone", include: intFiles.alone, ...int } },
    ],
  },
});
