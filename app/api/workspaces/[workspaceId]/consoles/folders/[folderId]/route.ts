import { CONSOLES } from "@/lib/features/consoles/item-kind";
import { folderRoutes } from "@/lib/features/folders/item-routes";
import { pathIds } from "@/lib/platform/http/ids";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = folderRoutes(CONSOLES, {
  tag: "Consoles",
  params: pathIds("workspaceId", "folderId"),
  idOf: ({ folderId }) => folderId,
});
