import { z } from "zod";
import { functions } from "@/inngest/functions";
import { serveFunctions } from "@/inngest/serve";
import { route } from "@/lib/features/accounts/route";
import { open } from "@/lib/platform/access/rules";

const answer = { "application/json": z.unknown() };
const described = {
  description: "For the job runner only. Returns 401 without a valid Inngest signature.",
  tag: "Service",
  access: open,
  failures: ["too_large"] as const,
};
const answerRunner = serveFunctions(functions);
const handle = ({ request }: { request: Request }) => answerRunner(request);

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    ...described,
    summary: "Introspect job functions",
    outside: { 200: answer, 401: answer },
    handle,
  }),
  POST: route({
    ...described,
    summary: "Run a job function",
    outside: { 200: answer, 206: answer, 400: answer, 401: answer, 500: answer },
    handle,
  }),
  PUT: route({
    ...described,
    summary: "Register job functions",
    outside: { 200: answer, 400: answer, 401: answer, 500: answer },
    handle,
  }),
});
