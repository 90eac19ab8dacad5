import "server-only";
import { formatCountOf } from "@/lib/base/values/amounts";
import { projectMain } from "@/lib/features/folders/project-main";
import { ITEM_KINDS } from "@/lib/features/instance/item-kinds";
import { getOwnerIdOrThrow, getWorkspaceIdOrThrow } from "@/lib/features/workspaces/service";
import { AppError } from "@/lib/platform/http/errors";
import { openStore } from "./open-store";

const LISTED = new Intl.ListFormat("en-GB");
const USAGE = "Usage: npm run repo:project -- <workspace id or slug>";

/**
 * Runs `npm run repo:project -- <workspace>`: makes the shared items, such as consoles, equal to the files of main, with
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
    const words = ITEM_KINDS.map(({ items: { root, noun } }) => formatCountOf(counts[root] ?? 0, noun));
    print(`The workspace has ${LISTED.format(words)} as in its repository.`);
    return 0;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    print(error.message);
    return 1;
  } finally {
    await stop();
  }
}
