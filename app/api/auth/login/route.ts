import { route } from "@/lib/features/accounts/route";
import { loginAnswer, loginBody } from "@/lib/features/accounts/schema";
import { login } from "@/lib/features/accounts/service";
import { sessionTokenOf } from "@/lib/features/accounts/session";
import { signIn } from "@/lib/platform/access/rules";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  POST: route({
    summary: "Sign in with email and password",
    description:
      "Sets the session cookie and ends the browser's previous session. Ten failed attempts in 15 minutes lock the account for this IP address.",
    tag: "Account",
    access: signIn,
    guardsOrigin: true,
    bodyLimit: "auth",
    body: loginBody,
    response: loginAnswer,
    failures: ["invalid_credentials", "rate_limited"],
    message: "Signed in",
    handle: async ({ body, address, request, headers }) => {
      const from = { address, userAgent: request.headers.get("user-agent") };
      const { setCookie, ...answer } = await login(body, from, sessionTokenOf(request.headers.get("cookie")));
      headers.append("Set-Cookie", setCookie);
      return answer;
    },
  }),
});
