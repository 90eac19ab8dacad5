import { route } from "@/lib/features/accounts/route";
import { meAnswer } from "@/lib/features/accounts/schema";
import { getMe } from "@/lib/features/accounts/service";
import { updateUserBody, userSchema } from "@/lib/features/users/schema";
import { updateUser } from "@/lib/features/users/service";
import { account } from "@/lib/platform/access/rules";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "Get the current user",
    description: "Returns the user and their workspaces.",
    tag: "Account",
    access: account,
    response: meAnswer,
    handle: ({ caller }) => getMe(caller),
  }),
  PATCH: route({
    summary: "Change your name",
    description: "Updates the name shown to other members. Existing history keeps the old name.",
    tag: "Account",
    access: account,
    bodyLimit: "auth",
    body: updateUserBody,
    response: userSchema,
    failures: ["not_found"],
    message: "Name changed",
    handle: ({ caller, body }) => updateUser(caller, body),
  }),
});
