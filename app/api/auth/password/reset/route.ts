import { resetPassword } from "@/lib/features/accounts/reset-service";
import { route } from "@/lib/features/accounts/route";
import { resetPasswordBody } from "@/lib/features/accounts/schema";
import { signIn } from "@/lib/platform/access/rules";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  POST: route({
    summary: "Set a new password by a link",
    description: "Works once; ends all sessions of the account.",
    tag: "Account",
    access: signIn,
    guardsOrigin: true,
    bodyLimit: "auth",
    body: resetPasswordBody,
    failures: ["rate_limited"],
    refuses: { token: "A link that has ended or was used" },
    message: "Password changed",
    handle: async ({ body }) => {
      await resetPassword(body);
      return null;
    },
  }),
});
