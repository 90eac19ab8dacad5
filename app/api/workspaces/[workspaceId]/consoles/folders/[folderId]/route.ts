import { folderRoutes } from "@/lib/api/filed-routes";
import { CONSOLES } from "@/lib/consoles/cabinet";
import { pathIds } from "@/lib/http/ids";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = folderRoutes(CONSOLES, {
  tag: "Consoles",
  params: pathIds("workspaceId", "folderId"),
  idOf: ({ folderId }) => folderId,
});
