import { z } from "zod";
import { admin } from "@/lib/auth/access";
import { objectId } from "@/lib/http/ids";
import { route } from "@/lib/http/route";
import { listQuery, pageOf } from "@/lib/http/schema";
import { outboxEntrySchema } from "@/lib/mail/schema";
import { listOutbox } from "@/lib/mail/service";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "Read the outbox",
    description: "The workspace's mails of the last 30 days, the newest first. kept: no mail service is set up.",
    tag: "Workspaces",
    access: admin,
    params: z.object({ workspaceId: objectId }),
    query: listQuery,
    response: pageOf(outboxEntrySchema),
    handle: ({ params, query }) => listOutbox(params.workspaceId, query),
  }),
});
