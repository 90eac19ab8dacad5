import { signIn } from "@/lib/access/rules";
import { route } from "@/lib/api/route";
import { registerAnswer, registerBody } from "@/lib/auth/schema";
import { register } from "@/lib/auth/service";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  POST: route({
    summary: "Create an account",
    description:
      "Creates a first workspace with the sample shop in it and sets the session cookie. Returns 403 where SIGN_UP does not admit the address.",
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
