import { existsSync } from "node:fs";
import { run } from "./run.mjs";

/** Returns whether this user may install Debian packages. */
export function canInstallPackages() {
  return process.getuid?.() === 0 && existsSync("/usr/bin/apt-get");
}

/** Installs Debian packages without prompts and without recommended packages. */
export async function installPackages(...names) {
  console.log(`Installing ${names.join(", ")} (apt-get install) ...`);
  // A server that is installed for tests must not start automatically.
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive", RUNLEVEL: "1" };
  await run("apt-get", ["update", "-qq"], { env });
  await run("apt-get", ["install", "-y", "-qq", "--no-install-recommends", ...names], { env });
}
