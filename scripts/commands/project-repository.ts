import "server-only";
import { formatCountOf } from "@/lib/base/values/amounts";
import { CONSOLES } from "@/lib/features/consoles/item-kind";
import { DASHBOARDS } from "@/lib/features/dashboards/item-kind";
import { projectMain } from "@/lib/features/folders/project-main";
import { getOwnerIdOrThrow, getWorkspaceIdOrThrow } from "@/lib/features/workspaces/service";
import { AppError } from "@/lib/platform/http/errors";
import { openStore } from "./open-store";

const USAGE = "Usage: npm run repo:project -- <workspace id or slug>";

/**
 * Runs `npm run repo:project -- <workspace>`: makes the shared consoles and dashboards equal to the files of main, with
 * or without running servers.
 * @returns the exit code
 */
export async function projectCommand(args: string[], print: (line: string) => void): Promise<number> {
  const [workspace, ...others] = args;
  if (workspace === undefined || others.length > 0) {
    print(USAGE);
    return 1;
  }
  const stop = await openStore();
  try {
    const workspaceId = await getWorkspaceIdOrThrow(workspace);
    const counts = await projectMain(workspaceId, await getOwnerIdOrThrow(workspaceId));
    const words = [CONSOLES, DASHBOARDS].map(({ root, noun }) => formatCountOf(counts[root] ?? 0, noun));
    print(`The workspace has ${words.join(" and ")} as in its repository.`);
    return 0;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    print(error.message);
    return 1;
  } finally {
    await stop();
  }
}
