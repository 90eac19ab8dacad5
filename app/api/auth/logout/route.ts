import { signIn } from "@/lib/access/rules";
import { route } from "@/lib/api/route";
import { logout } from "@/lib/auth/service";
import { clearedSessionCookie, sessionTokenOf } from "@/lib/auth/session";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  POST: route({
    summary: "Sign out",
    description: "Deletes the session on the server and clears the cookie. Without a session it does nothing.",
    tag: "Account",
    access: signIn,
    guardsOrigin: true,
    message: "Signed out",
    handle: async ({ request, headers }) => {
      await logout(sessionTokenOf(request.headers.get("cookie")));
      headers.append("Set-Cookie", clearedSessionCookie());
      return null;
    },
  }),
});
