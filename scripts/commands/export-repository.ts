import "server-only";
import { resolve } from "node:path";
import { formatCountOf } from "@/lib/base/values/amounts";
import { exportBare } from "@/lib/features/repository/export-bare";
import { getWorkspaceIdOrThrow } from "@/lib/features/workspaces/service";
import { AppError } from "@/lib/platform/http/errors";
import { openStore } from "./open-store";

const USAGE = "Usage: npm run repo:export -- <workspace id or slug> <new folder>";

/**
 * Runs `npm run repo:export -- <workspace> <folder>`: writes a workspace's repository as a bare git repository, with or
 * without running servers.
 * @param args the workspace's id or slug, and the folder
 * @returns the exit code
 */
export async function exportCommand(args: string[], print: (line: string) => void): Promise<number> {
  const [workspace, folder, ...others] = args;
  if (workspace === undefined || folder === undefined || others.length > 0) {
    print(USAGE);
    return 1;
  }
  const stop = await openStore();
  try {
    const dir = resolve(folder);
    const { branches, objects } = await exportBare(await getWorkspaceIdOrThrow(workspace), dir);
    print(`Wrote ${objects} objects and ${formatCountOf(branches, "branch", "branches")} to ${dir}`);
    print(`Clone it with: git clone ${JSON.stringify(dir)}`);
    return 0;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    print(error.message);
    return 1;
  } finally {
    await stop();
  }
}
