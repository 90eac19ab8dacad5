import { z } from "zod";
import { route } from "@/lib/features/accounts/route";
import { tableName } from "@/lib/features/connections/imports/schema";
import { deleteImportedTable } from "@/lib/features/connections/imports/service";
import { member } from "@/lib/platform/access/rules";
import { objectId } from "@/lib/platform/http/ids";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  DELETE: route({
    summary: "Delete an imported table",
    tag: "Imports",
    access: member,
    params: z.object({ workspaceId: objectId, table: tableName }),
    failures: ["not_allowed", "timeout", "unavailable", "source_unreachable", "query_failed"],
    message: "Table deleted",
    handle: async ({ caller, params }) => {
      await deleteImportedTable(caller, params.table);
      return null;
    },
  }),
});
