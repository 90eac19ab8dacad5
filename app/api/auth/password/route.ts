import { account } from "@/lib/access/rules";
import { route } from "@/lib/api/route";
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
    handle: async ({ caller, body }) => {
      await changePassword(caller, body);
      return null;
    },
  }),
});
