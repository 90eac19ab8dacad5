import { route } from "@/lib/features/accounts/route";
import { instanceSchema } from "@/lib/features/accounts/schema";
import { getInstance } from "@/lib/features/instance/instance";
import { account } from "@/lib/platform/access/rules";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "Get the instance",
    description:
      "Returns the installation's version, sign-up policy, mail service and size. Requires the first account.",
    tag: "Service",
    access: account,
    response: instanceSchema,
    failures: ["forbidden"],
    handle: ({ caller }) => getInstance(caller),
  }),
});
