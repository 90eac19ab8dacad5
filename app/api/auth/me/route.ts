import { account } from "@/lib/access/rules";
import { route } from "@/lib/api/route";
import { meAnswer } from "@/lib/auth/schema";
import { getMe } from "@/lib/auth/service";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "Who is signed in",
    description: "The user and the workspaces that they can enter.",
    tag: "Account",
    access: account,
    response: meAnswer,
    handle: ({ caller }) => getMe(caller),
  }),
});
