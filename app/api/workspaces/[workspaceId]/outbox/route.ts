import { route } from "@/lib/features/accounts/route";
import { admin, peopleOnly } from "@/lib/platform/access/rules";
import { pathIds } from "@/lib/platform/http/ids";
import { listQuery, pageOf } from "@/lib/platform/http/schema";
import { outboxEntrySchema } from "@/lib/platform/mail/schema";
import { listOutbox } from "@/lib/platform/mail/service";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "Read the outbox",
    description:
      "The workspace's mails of the last 30 days, the newest first. kept: no mail service is set up. Their links let people in, so API keys are refused, and of a mail that invites an owner only owners get the text; others get a sentence in its place. Mails about a private console are its owner's alone.",
    tag: "Workspaces",
    access: peopleOnly(admin),
    params: pathIds("workspaceId"),
    query: listQuery,
    response: pageOf(outboxEntrySchema),
    handle: ({ caller, query }) => listOutbox(caller, query),
  }),
});
