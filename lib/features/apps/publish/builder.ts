import "server-only";
import { getSandbox, sandboxVersion } from "../sandbox";
import type { Sandbox } from "../sandbox/sandbox";

/** Increment when the builder's output for the same files changes. */
const BUILDER_VERSION = "built 1";

/** Builds apps. `version` identifies all inputs of a build besides the app's files. */
export type Builder = Pick<Sandbox, "build"> & { version: string };

/** Returns the builder. Existing builds can be looked up even where no build can run. */
export async function findBuilder(): Promise<Builder> {
  const version = `${BUILDER_VERSION} ${await sandboxVersion()}`;
  return { build: (input) => getSandbox().build(input), version };
}
