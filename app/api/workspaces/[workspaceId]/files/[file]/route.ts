import { z } from "zod";
import { member } from "@/lib/access/rules";
import { route } from "@/lib/api/route";
import { listConnectionsOfFile } from "@/lib/connections/service";
import { fileName } from "@/lib/files/schema";
import { deleteFile } from "@/lib/files/service";
import { objectId } from "@/lib/http/ids";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  DELETE: route({
    summary: "Delete an uploaded file",
    description: "409 in_use while a connection reads it.",
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
