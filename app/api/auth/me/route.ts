import { route } from "@/lib/features/accounts/route";
import { meAnswer } from "@/lib/features/accounts/schema";
import { getMe } from "@/lib/features/accounts/service";
import { updateUserBody, userSchema } from "@/lib/features/users/schema";
import { updateUser } from "@/lib/features/users/service";
import { account } from "@/lib/platform/access/rules";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "Who is signed in",
    description: "The user and the workspaces that they can enter.",
    tag: "Account",
    access: account,
    response: meAnswer,
    handle: ({ caller }) => getMe(caller),
  }),
  PATCH: route({
    summary: "Change your name",
    description:
      "The others of your workspaces see it, too. What was saved before keeps the name that it was saved under.",
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
