import { route } from "@/lib/features/accounts/route";
import { previewSource } from "@/lib/features/flows/preview";
import { PREVIEW_REFUSALS } from "@/lib/features/flows/reference";
import { flowPreviewSchema, previewBody } from "@/lib/features/flows/schema";
import { EXECUTE_FAILURES } from "@/lib/features/query/reference";
import { member } from "@/lib/platform/access/rules";
import { pathIds } from "@/lib/platform/http/ids";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  POST: route({
    summary: "See the first rows of a flow's source",
    description:
      "The columns that a flow would write and at most 20 rows, read within 30 s; long values are cut. A query runs as on a read-only connection.",
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
