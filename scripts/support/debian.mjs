import { existsSync } from "node:fs";
import { run } from "./run.mjs";

/** True where this user may install Debian's packages. */
export function canInstallPackages() {
  return process.getuid?.() === 0 && existsSync("/usr/bin/apt-get");
}

/** Installs Debian packages without a question and without what they only recommend. */
export async function installPackages(...names) {
  console.log(`Installing ${names.join(", ")} (apt-get install) ...`);
  // A server that is installed for tests must not start by itself.
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive", RUNLEVEL: "1" };
  await run("apt-get", ["update", "-qq"], { env });
  await run("apt-get", ["install", "-y", "-qq", "--no-install-recommends", ...names], { env });
}
