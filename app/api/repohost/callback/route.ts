import { z } from "zod";
import { route } from "@/lib/features/accounts/route";
import { endAuthorization } from "@/lib/features/linked-repositories/installations";
import { open } from "@/lib/platform/access/rules";
import { boundedText } from "@/lib/platform/http/schema";

/**
 * Maximum length of the state and of the code: our state has about three hundred characters, the host's codes about
 * twenty.
 */
const STATE_CHARS_MAX = 1_100;
const CODE_CHARS_MAX = 500;

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "Handle the repository host callback",
    description: "Redirects the browser back to the workspace.",
    tag: "Apps",
    access: open,
    query: z.object({
      state: boundedText(STATE_CHARS_MAX).optional(),
      code: boundedText(CODE_CHARS_MAX).optional(),
    }),
    outside: { 302: {} },
    failures: [
      "not_found",
      "unauthenticated",
      "forbidden",
      "repo_host_not_configured",
      "source_unreachable",
      "timeout",
    ],
    refuses: { state: "A forged, used, expired or foreign state" },
    handle: ({ request }) => endAuthorization(request),
  }),
});
