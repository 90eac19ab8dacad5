import { route } from "@/lib/features/accounts/route";
import { readPreviewPicture } from "@/lib/features/apps/share";
import { shareParams } from "@/lib/features/shares/params";
import { open } from "@/lib/platform/access/rules";

/** Maximum time that a cached picture stays visible after its share ends, in seconds. */
const KEPT_SECONDS = 300;

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "Get a link preview image",
    description:
      "Returns the app's `thumbnail.(png|jpg|webp)` as a JPEG, at most 1200 px wide and 300 KB. Returns 404 for dashboards, closed or password-protected shares, and apps without a thumbnail. `ETag` is the thumbnail's git ID.",
    tag: "Shares",
    access: open,
    params: shareParams,
    outside: { 200: { "image/jpeg": null }, 304: {} },
    failures: ["not_found", "rate_limited", "timeout"],
    handle: async ({ params, request }) => {
      const { etag, content } = await readPreviewPicture(params.token, request.headers);
      const headers = { ETag: etag, "Cache-Control": `public, max-age=${KEPT_SECONDS}` };
      const known = request.headers.get("if-none-match")?.split(",") ?? [];
      if (known.some((each) => each.trim().replace(/^W\//, "") === etag)) {
        return new Response(null, { status: 304, headers });
      }
      return new Response(new Uint8Array(content), {
        headers: { ...headers, "Content-Type": "image/jpeg", "Content-Length": String(content.length) },
      });
    },
  }),
});
