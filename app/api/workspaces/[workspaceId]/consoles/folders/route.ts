import { CONSOLES } from "@/lib/features/consoles/item-kind";
import { foldersRoutes } from "@/lib/features/folders/item-routes";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = foldersRoutes(CONSOLES, "Consoles");
