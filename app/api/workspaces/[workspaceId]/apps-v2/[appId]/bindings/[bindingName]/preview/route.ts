import { route } from "@/lib/features/accounts/route";
import { bindingParams as params } from "@/lib/features/apps/bindings/params";
import { previewBinding } from "@/lib/features/apps/bindings/preview";
import { bindingDataSchema } from "@/lib/features/apps/bindings/schema";
import { member } from "@/lib/platform/access/rules";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  POST: route({
    summary: "Preview a binding",
    description:
      "Runs your draft of the binding with your permissions and returns the first 1,000 rows. Rows are stored for your app preview only. The published version is not changed.",
    tag: "Apps",
    access: member,
    params,
    response: bindingDataSchema,
    failures: [
      "not_found",
      "invalid_request",
      "query_failed",
      "read_only",
      "not_allowed",
      "address_refused",
      "source_unreachable",
      "timeout",
      "cancelled",
      "rate_limited",
      "unavailable",
      "too_large",
      "conflict",
    ],
    handle: ({ caller, params: { appId, bindingName }, signal }) => previewBinding(caller, appId, bindingName, signal),
  }),
});
