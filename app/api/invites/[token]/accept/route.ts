import { z } from "zod";
import { acceptedInviteSchema, inviteToken } from "@/lib/features/accounts/invites/schema";
import { acceptInvite } from "@/lib/features/accounts/invites/service";
import { route } from "@/lib/features/accounts/route";
import { account } from "@/lib/platform/access/rules";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  POST: route({
    summary: "Accept an invitation",
    description: "Requires an account with the invited email address.",
    tag: "Members",
    access: account,
    params: z.object({ token: inviteToken }),
    response: acceptedInviteSchema,
    failures: ["conflict"],
    message: "Invitation accepted",
    handle: async ({ caller, params }) => {
      const { id, name, slug, role } = await acceptInvite(caller, params.token);
      return { workspace: { id, name, slug, role } };
    },
  }),
});
