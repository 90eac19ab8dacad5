import type { DirectRoutes } from "@/lib/platform/api/direct";
import { POST as execute } from "./execute/route";
import { POST as executeConsole } from "./workspaces/[workspaceId]/consoles/[consoleId]/execute/route";
import { POST as executeOnDatabase } from "./workspaces/[workspaceId]/databases/[connectionId]/execute/route";

/** Routes that take less time than the framework's overhead. */
export const DIRECT_ROUTES: DirectRoutes = {
  "/api/execute": { POST: execute },
  "/api/workspaces/[workspaceId]/consoles/[consoleId]/execute": { POST: executeConsole },
  "/api/workspaces/[workspaceId]/databases/[connectionId]/execute": { POST: executeOnDatabase },
};
