import { z } from "zod";
import { invitationSchema, inviteToken } from "@/lib/features/accounts/invites/schema";
import { getInvitation } from "@/lib/features/accounts/invites/service";
import { route } from "@/lib/features/accounts/route";
import { open } from "@/lib/platform/access/rules";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "Get an invitation",
    description: "Returns the workspace name. No sign-in needed.",
    tag: "Members",
    access: open,
    params: z.object({ token: inviteToken }),
    response: invitationSchema,
    handle: ({ params }) => getInvitation(params.token),
  }),
});
