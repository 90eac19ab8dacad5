import { changePassword } from "@/lib/features/accounts/password-service";
import { route } from "@/lib/features/accounts/route";
import { changePasswordBody } from "@/lib/features/accounts/schema";
import { account } from "@/lib/platform/access/rules";

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
