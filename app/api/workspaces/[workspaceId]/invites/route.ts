import { z } from "zod";
import { createdInviteSchema, createInviteBody, inviteSchema } from "@/lib/features/accounts/invites/schema";
import { createInvite, listInvites } from "@/lib/features/accounts/invites/service";
import { route } from "@/lib/features/accounts/route";
import { admin, peopleOnly } from "@/lib/platform/access/rules";
import { pathIds } from "@/lib/platform/http/ids";
import { asArray } from "@/lib/platform/http/paging";
import { listQuery } from "@/lib/platform/http/schema";

const params = pathIds("workspaceId");

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "List open invitations",
    tag: "Members",
    access: peopleOnly(admin),
    params,
    query: listQuery,
    response: z.array(inviteSchema),
    handle: async ({ caller, query, headers }) => asArray(headers, await listInvites(caller, query)),
  }),
  POST: route({
    summary: "Invite somebody",
    description:
      "Mails a link that works for 7 days, only for this address, and for as long as its maker may give the role. Inviting an address again replaces its first link. Only an owner invites an owner, or replaces such an invitation.",
    tag: "Members",
    access: peopleOnly(admin),
    params,
    body: createInviteBody,
    response: createdInviteSchema,
    failures: ["conflict"],
    status: 201,
    message: "Invitation made",
    handle: ({ caller, body }) => createInvite(caller, body),
  }),
});
