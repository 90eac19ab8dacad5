import { requestPasswordReset } from "@/lib/features/accounts/reset-service";
import { route } from "@/lib/features/accounts/route";
import { forgotPasswordBody } from "@/lib/features/accounts/schema";
import { signIn } from "@/lib/platform/access/rules";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  POST: route({
    summary: "Request a password reset",
    description: "Sends a one-time link that expires in 30 minutes. The response is the same for every address.",
    tag: "Account",
    access: signIn,
    guardsOrigin: true,
    bodyLimit: "auth",
    body: forgotPasswordBody,
    failures: ["rate_limited"],
    message: "If an account with this email exists, we sent a link.",
    handle: async ({ body, address }) => {
      await requestPasswordReset(body.email, address);
      return null;
    },
  }),
});
