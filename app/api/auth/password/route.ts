import { account } from "@/lib/access/rules";
import { route } from "@/lib/api/route";
import { sessionIdOf } from "@/lib/auth/identity";
import { changePassword } from "@/lib/auth/password-service";
import { changePasswordBody } from "@/lib/auth/schema";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  POST: route({
    summary: "Change your password",
    description: "Ends your other sessions.",
    tag: "Account",
    access: account,
    bodyLimit: "auth",
    body: changePasswordBody,
    failures: ["invalid_credentials", "rate_limited"],
    message: "Password changed",
    handle: async ({ principal, body }) => {
      await changePassword(principal.user._id, sessionIdOf(principal), body);
      return null;
    },
  }),
});
