import { z } from "zod";
import { open } from "@/lib/access/rules";
import { route } from "@/lib/api/route";
import { invitationSchema, inviteToken } from "@/lib/invites/schema";
import { getInvitation } from "@/lib/invites/service";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "Read an invitation",
    description: "Whoever holds the link may see which workspace it leads to, before signing in.",
    tag: "Members",
    access: open,
    params: z.object({ token: inviteToken }),
    response: invitationSchema,
    handle: ({ params }) => getInvitation(params.token),
  }),
});
