import "server-only";
import { getSandbox, sandboxVersion } from "../sandbox";
import type { Sandbox } from "../sandbox/sandbox";

/** Changes when the builder itself makes other files of the same ones. */
const BUILDER_VERSION = "built 1";

/** Builds apps. `version` names all that goes into a build besides the app's files. */
export type Builder = Pick<Sandbox, "build"> & { version: string };

/** What is there already is found also where nothing can be built any more. */
export async function findBuilder(): Promise<Builder> {
  const version = `${BUILDER_VERSION} ${await sandboxVersion()}`;
  return { build: (input) => getSandbox().build(input), version };
}
