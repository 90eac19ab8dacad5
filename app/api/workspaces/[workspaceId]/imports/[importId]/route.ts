import { route } from "@/lib/features/accounts/route";
import { uploadedImport } from "@/lib/features/connections/imports/schema";
import { deleteImport, getImport } from "@/lib/features/connections/imports/service";
import { member } from "@/lib/platform/access/rules";
import { pathIds } from "@/lib/platform/http/ids";

const params = pathIds("workspaceId", "importId");

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "Get an uploaded file",
    tag: "Imports",
    access: member,
    params,
    response: uploadedImport,
    failures: ["not_allowed"],
    handle: ({ caller, params }) => getImport(caller, params.importId),
  }),
  DELETE: route({
    summary: "Delete an uploaded file",
    tag: "Imports",
    access: member,
    params,
    failures: ["not_allowed"],
    message: "File deleted",
    handle: async ({ caller, params }) => {
      await deleteImport(caller, params.importId);
      return null;
    },
  }),
});
