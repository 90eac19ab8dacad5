import { join } from "node:path";

/** The child programs: the build bundles each source into dist/<name>.mjs. */
export const CHILD_ENTRIES = {
  store: "lib/platform/embedded/mongo/main.ts",
  engine: "lib/platform/embedded/engine/main.ts",
  import: "lib/platform/embedded/import/main.ts",
  sqlite: "lib/platform/embedded/engine/sqlite/main.ts",
  grammar: "lib/platform/embedded/grammar/worker.ts",
  statements: "lib/features/connections/drivers/shared/statements/worker.ts",
  hashing: "lib/platform/embedded/hashing/worker.ts",
  sandbox: "lib/platform/embedded/sandbox/main.ts",
  drawing: "lib/platform/embedded/drawing/main.ts",
  thumbnails: "lib/platform/embedded/thumbnails/main.ts",
  parquet: "lib/platform/embedded/parquet/worker.ts",
} as const;

export type ChildName = keyof typeof CHILD_ENTRIES;

/**
 * Returns the file that a child runs: its bundle in production, its source otherwise, so that tests and development
 * never run an old bundle. The server's working folder is the project's.
 *
 * CHILD_BUNDLES names a folder of new bundles in the project: those of a run of tests, which start thousands of
 * children. Reading all sources takes most of a child's start.
 */
export function childEntry(name: ChildName, projectRoot: string = process.cwd()): string {
  const bundles = process.env.NODE_ENV === "production" ? "dist" : process.env.CHILD_BUNDLES;
  return join(/* turbopackIgnore: true */ projectRoot, bundles ? `${bundles}/${name}.mjs` : CHILD_ENTRIES[name]);
}
