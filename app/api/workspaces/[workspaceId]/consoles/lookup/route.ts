import { CONSOLES } from "@/lib/features/consoles/item-kind";
import { consoleSummarySchema } from "@/lib/features/consoles/schema";
import { lookUpConsoles } from "@/lib/features/consoles/service";
import { lookupRoutes } from "@/lib/features/folders/item-routes";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = lookupRoutes(
  CONSOLES,
  "Consoles",
  consoleSummarySchema,
  lookUpConsoles,
);
