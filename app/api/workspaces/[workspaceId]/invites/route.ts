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
    summary: "List pending invitations",
    tag: "Members",
    access: peopleOnly(admin),
    params,
    query: listQuery,
    response: z.array(inviteSchema),
    handle: async ({ caller, query, headers }) => asArray(headers, await listInvites(caller, query)),
  }),
  POST: route({
    summary: "Create an invitation",
    description:
      "Emails a link that expires in 7 days and works only for this address. It stops working if its creator can no longer grant the role. Inviting an address again replaces the link. Only owners can invite owners.",
    tag: "Members",
    access: peopleOnly(admin),
    params,
    body: createInviteBody,
    response: createdInviteSchema,
    failures: ["conflict"],
    status: 201,
    message: "Invitation created",
    handle: ({ caller, body }) => createInvite(caller, body),
  }),
});
