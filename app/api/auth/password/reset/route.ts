import { resetPassword } from "@/lib/features/accounts/reset-service";
import { route } from "@/lib/features/accounts/route";
import { resetPasswordBody } from "@/lib/features/accounts/schema";
import { signIn } from "@/lib/platform/access/rules";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  POST: route({
    summary: "Reset a password",
    description: "Ends all sessions of the account. A token works once.",
    tag: "Account",
    access: signIn,
    guardsOrigin: true,
    bodyLimit: "auth",
    body: resetPasswordBody,
    failures: ["rate_limited"],
    refuses: { token: "An expired or used token" },
    message: "Password changed",
    handle: async ({ body }) => {
      await resetPassword(body);
      return null;
    },
  }),
});
