import { requestPasswordReset } from "@/lib/features/accounts/reset-service";
import { route } from "@/lib/features/accounts/route";
import { forgotPasswordBody } from "@/lib/features/accounts/schema";
import { signIn } from "@/lib/platform/access/rules";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  POST: route({
    summary: "Ask for a new password",
    description: "Mails a one-time link that works for 30 minutes. The answer is the same for every address.",
    tag: "Account",
    access: signIn,
    guardsOrigin: true,
    bodyLimit: "auth",
    body: forgotPasswordBody,
    failures: ["rate_limited"],
    message: "If there is an account with this email, a link is on its way.",
    handle: async ({ body, address }) => {
      await requestPasswordReset(body.email, address);
      return null;
    },
  }),
});
