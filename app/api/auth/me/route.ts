import { account } from "@/lib/access/rules";
import { route } from "@/lib/api/route";
import { meAnswer } from "@/lib/auth/schema";
import { getMe } from "@/lib/auth/service";
import { updateUserBody, userSchema } from "@/lib/users/schema";
import { updateUser } from "@/lib/users/service";

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
