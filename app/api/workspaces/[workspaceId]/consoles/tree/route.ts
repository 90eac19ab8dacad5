import { CONSOLES } from "@/lib/features/consoles/item-kind";
import { consoleSummarySchema } from "@/lib/features/consoles/schema";
import { readConsoleTree } from "@/lib/features/consoles/service";
import { treeRoutes } from "@/lib/features/folders/item-routes";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = treeRoutes(
  CONSOLES,
  "Consoles",
  consoleSummarySchema,
  readConsoleTree,
);
