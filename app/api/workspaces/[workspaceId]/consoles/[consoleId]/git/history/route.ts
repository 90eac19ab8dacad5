import { historyRoutes } from "@/lib/api/filed-routes";
import { CONSOLES } from "@/lib/consoles/cabinet";
import { pathIds } from "@/lib/http/ids";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = historyRoutes(CONSOLES, {
  tag: "Consoles",
  params: pathIds("workspaceId", "consoleId"),
  idOf: ({ consoleId }) => consoleId,
});
