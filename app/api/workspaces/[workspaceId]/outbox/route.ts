import { route } from "@/lib/features/accounts/route";
import { admin, peopleOnly } from "@/lib/platform/access/rules";
import { pathIds } from "@/lib/platform/http/ids";
import { listQuery, pageOf } from "@/lib/platform/http/schema";
import { outboxEntrySchema } from "@/lib/platform/mail/schema";
import { listOutbox } from "@/lib/platform/mail/service";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "List outbox emails",
    description:
      "Returns emails of the last 30 days, newest first. The status `kept` means that no email service is configured. API keys are rejected because links grant access. Only owners get the text of owner invitations. Emails about a private console are visible to its owner only.",
    tag: "Workspaces",
    access: peopleOnly(admin),
    params: pathIds("workspaceId"),
    query: listQuery,
    response: pageOf(outboxEntrySchema),
    handle: ({ caller, query }) => listOutbox(caller, query),
  }),
});
