import { route } from "@/lib/features/accounts/route";
import { previewSource } from "@/lib/features/flows/preview";
import { PREVIEW_REFUSALS } from "@/lib/features/flows/reference";
import { flowPreviewSchema, previewBody } from "@/lib/features/flows/schema";
import { EXECUTE_FAILURES } from "@/lib/features/query/reference";
import { member } from "@/lib/platform/access/rules";
import { pathIds } from "@/lib/platform/http/ids";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  POST: route({
    summary: "Preview a flow's source",
    description:
      "Returns the columns and up to 20 rows, with long values truncated. Times out after 30 seconds. Queries are read-only.",
    tag: "Flows",
    access: member,
    params: pathIds("workspaceId"),
    body: previewBody,
    response: flowPreviewSchema,
    failures: EXECUTE_FAILURES,
    refuses: PREVIEW_REFUSALS,
    handle: ({ caller, body, signal }) => previewSource(caller, body, signal),
  }),
});
