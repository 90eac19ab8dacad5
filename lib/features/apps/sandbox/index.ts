import "server-only";
import { embeddedSandbox } from "./embedded";
import { carriedVersion } from "./embedded/carried";
import type { Sandbox } from "./sandbox";

/** Returns the sandbox that runs apps' code. A remote provider would be selected here. */
export function getSandbox(): Sandbox {
  return embeddedSandbox;
}

/** Returns the version of all inputs of a build besides the app's files: builder, bundled packages and runtime. */
export function sandboxVersion(): Promise<string> {
  return carriedVersion();
}
