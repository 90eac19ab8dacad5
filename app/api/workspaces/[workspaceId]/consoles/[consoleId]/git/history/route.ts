import { CONSOLES } from "@/lib/features/consoles/item-kind";
import { historyRoutes } from "@/lib/features/folders/item-routes";
import { pathIds } from "@/lib/platform/http/ids";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = historyRoutes(CONSOLES, {
  tag: "Consoles",
  params: pathIds("workspaceId", "consoleId"),
  idOf: ({ consoleId }) => consoleId,
});
