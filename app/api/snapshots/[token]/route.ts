import { z } from "zod";
import { route } from "@/lib/features/accounts/route";
import { readSnapshotPicture } from "@/lib/features/notifications/snapshots/picture";
import { shareToken } from "@/lib/features/shares/schema";
import { open } from "@/lib/platform/access/rules";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "Get a snapshot image or PDF",
    description:
      "The URL is sent only in the snapshot message and expires after 30 days. Returns the same 404 for unknown and expired tokens.",
    tag: "Dashboards",
    access: open,
    params: z.object({ token: shareToken }),
    query: z.object({ as: z.enum(["png", "pdf"]).default("png") }),
    outside: { 200: { "image/png": null, "application/pdf": null } },
    failures: ["not_found", "rate_limited"],
    handle: async ({ params, query: { as }, request }) => {
      const file = await readSnapshotPicture(params.token, as, request.headers);
      // Never treated as a page of this site, whichever client requests it.
      const headers = {
        "Content-Type": as === "png" ? "image/png" : "application/pdf",
        ...(as === "pdf" && { "Content-Disposition": 'attachment; filename="dashboard.pdf"' }),
        "Cache-Control": "private, max-age=3600",
        "X-Content-Type-Options": "nosniff",
      };
      return new Response(new Uint8Array(file), { headers });
    },
  }),
});
