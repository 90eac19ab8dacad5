import { z } from "zod";
import { route } from "@/lib/features/accounts/route";
import { fileName } from "@/lib/features/connections/files/schema";
import { deleteFile } from "@/lib/features/connections/files/service";
import { listConnectionsOfFile } from "@/lib/features/connections/service";
import { member } from "@/lib/platform/access/rules";
import { objectId } from "@/lib/platform/http/ids";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  DELETE: route({
    summary: "Delete an uploaded file",
    description: "Returns 409 in_use while a connection uses it.",
    tag: "Connections",
    access: member,
    params: z.object({ workspaceId: objectId, file: fileName }),
    failures: ["in_use"],
    message: "File deleted",
    handle: async ({ caller, params }) => {
      const uses = await listConnectionsOfFile(caller, params.file);
      await deleteFile(caller, params.file, uses);
      return null;
    },
  }),
});
