import { signIn } from "@/lib/access/rules";
import { route } from "@/lib/api/route";
import { requestPasswordReset } from "@/lib/auth/reset-service";
import { forgotPasswordBody } from "@/lib/auth/schema";

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
