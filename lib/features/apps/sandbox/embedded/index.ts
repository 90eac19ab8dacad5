import "server-only";
import { AppError } from "@/lib/platform/http/errors";
import type { Sandbox } from "../sandbox";
import { runBuild } from "./builds";
import { availability } from "./confinement";
import { startSession } from "./sessions";

/** Sandbox on this machine: child processes in bubblewrap. */
export const embeddedSandbox: Sandbox = {
  availability: async () => availability(),
  async build(input) {
    requireAvailable();
    return runBuild(input);
  },
  async start({ files }) {
    requireAvailable();
    return startSession(files);
  },
};

/** @throws AppError sandbox_unavailable with the packages to install */
function requireAvailable(): void {
  const found = availability();
  if (!found.isAvailable) throw new AppError("sandbox_unavailable", found.what);
}
