import { route } from "@/lib/features/accounts/route";
import { logout } from "@/lib/features/accounts/service";
import { clearedSessionCookie, sessionTokenOf } from "@/lib/features/accounts/session";
import { signIn } from "@/lib/platform/access/rules";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  POST: route({
    summary: "Sign out",
    description: "Deletes the session on the server and clears the cookie. Does nothing without a session.",
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
