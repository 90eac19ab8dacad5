import { route } from "@/lib/features/accounts/route";
import { registerAnswer, registerBody } from "@/lib/features/accounts/schema";
import { register } from "@/lib/features/accounts/service";
import { signIn } from "@/lib/platform/access/rules";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  POST: route({
    summary: "Create an account",
    description:
      "Creates a workspace with the sample shop and sets the session cookie. Returns 403 if SIGN_UP does not admit the address.",
    tag: "Account",
    access: signIn,
    guardsOrigin: true,
    bodyLimit: "auth",
    body: registerBody,
    response: registerAnswer,
    failures: ["email_taken", "forbidden", "rate_limited"],
    status: 201,
    message: "Account created",
    handle: async ({ body, address, request, headers }) => {
      const { setCookie, ...answer } = await register(body, { address, userAgent: request.headers.get("user-agent") });
      headers.append("Set-Cookie", setCookie);
      return answer;
    },
  }),
});
