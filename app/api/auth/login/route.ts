import { signIn } from "@/lib/auth/access";
import { loginAnswer, loginBody } from "@/lib/auth/schema";
import { login } from "@/lib/auth/service";
import { route } from "@/lib/http/route";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  POST: route({
    summary: "Sign in with email and password",
    description: "Sets the session cookie. Ten wrong passwords within 15 minutes lock the account for this address.",
    tag: "Account",
    access: signIn,
    guardsOrigin: true,
    bodyLimit: "auth",
    body: loginBody,
    response: loginAnswer,
    message: "Signed in",
    handle: async ({ body, address, request, headers }) => {
      const { setCookie, ...answer } = await login(body, { address, userAgent: request.headers.get("user-agent") });
      headers.append("Set-Cookie", setCookie);
      return answer;
    },
  }),
});
