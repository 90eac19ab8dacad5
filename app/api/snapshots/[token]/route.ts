import { z } from "zod";
import { open } from "@/lib/access/rules";
import { route } from "@/lib/api/route";
import { readSnapshotPicture } from "@/lib/notifications/snapshots/picture";
import { shareToken } from "@/lib/shares/schema";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "The picture of a snapshot",
    description:
      "For whoever has its address, which its message alone names; 30 days. 404 is the same for an unknown one.",
    tag: "Dashboards",
    access: open,
    params: z.object({ token: shareToken }),
    outside: { 200: { "image/png": null } },
    failures: ["not_found", "rate_limited"],
    handle: async ({ params, request }) => {
      const png = await readSnapshotPicture(params.token, request.headers);
      // Never a page of ours, whatever asks for it.
      const headers = {
        "Content-Type": "image/png",
        "Cache-Control": "private, max-age=3600",
        "X-Content-Type-Options": "nosniff",
      };
      return new Response(new Uint8Array(png), { headers });
    },
  }),
});
