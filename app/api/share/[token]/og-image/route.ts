import { route } from "@/lib/features/accounts/route";
import { readPreviewPicture } from "@/lib/features/apps/share";
import { shareParams } from "@/lib/features/shares/params";
import { open } from "@/lib/platform/access/rules";

/** Maximum time that a cached picture stays visible after its share ends, in seconds. */
const KEPT_SECONDS = 300;

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "The picture of a link",
    description:
      "The app's `thumbnail.(png|jpg|webp)` as a JPEG of 1200 pixels and 300 KB at the most, for link previews. 404, the same for each link, unless its share is open, has no password and the app has such a picture; dashboards have none. `ETag` is the git id of the thumbnail.",
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
