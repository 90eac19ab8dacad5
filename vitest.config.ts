import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const root = fileURLToPath(new URL(".", import.meta.url));
const alias = {
  "@": root.replace(/\/$/, ""),
  // The real module throws outside of a server bundle; under test everything is the server.
  "server-only": `${root}test/empty.ts`,
};

export default defineConfig({
  resolve: { alias },
  test: {
    setupFiles: ["test/quiet.setup.ts"],
    tags: [{ name: "long", description: "takes half a minute or more, and is looked at by `npm run test:long` alone" }],
    // The default leaves two cores with one: many of the files wait for servers, children and time limits.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    // Those of one file that run side by side do nothing but wait.
    maxConcurrency: 20,
    // It imports parts of Next by paths that only a bundler resolves.
    server: { deps: { inline: ["next-auth"] } },
    projects: [
      {
        extends: true,
        test: {
          name: "unit",
          include: ["{app,lib,components,inngest,emails,scripts,test}/**/*.test.{ts,tsx}"],
          exclude: ["**/*.int.test.ts", "node_modules/**"],
          // Time is no guarantee of these: a busy machine must not fail them.
          testTimeout: 60_000,
        },
      },
      {
        extends: true,
        test: {
          name: "int",
          include: ["{app,lib,inngest,scripts,test}/**/*.int.test.ts"],
          globalSetup: ["test/store.setup.ts"],
          // As above. What has to be done in time says so itself.
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
});
