import "server-only";
import { embeddedSandbox } from "./embedded";
import { carriedVersion } from "./embedded/carried";
import type { Sandbox } from "./sandbox";

/** Where code of apps runs. A provider elsewhere would be chosen here. */
export function getSandbox(): Sandbox {
  return embeddedSandbox;
}

/** Names all that goes into a build besides the app's files: the builder, the carried packages and our own runtime. */
export function sandboxVersion(): Promise<string> {
  return carriedVersion();
}
