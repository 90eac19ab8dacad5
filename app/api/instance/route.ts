import { account } from "@/lib/access/rules";
import { route } from "@/lib/api/route";
import { instanceSchema } from "@/lib/auth/schema";
import { getInstance } from "@/lib/lifecycle/instance";

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
