import { z } from "zod";
import { admin } from "@/lib/access/rules";
import { route } from "@/lib/api/route";
import { objectId } from "@/lib/http/ids";
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
