import { foldersRoutes } from "@/lib/api/filed-routes";
import { CONSOLES } from "@/lib/consoles/cabinet";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = foldersRoutes(CONSOLES, "Consoles");
