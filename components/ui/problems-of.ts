import { ApiError } from "@/lib/platform/browser/request";

/** Returns the server's messages for single fields, also for problems inside them; empty if there are none. */
export function problemsOf<Name extends string>(
  error: unknown,
  fields: readonly Name[],
): Partial<Record<Name, string>> {
  const problems = error instanceof ApiError ? error.problems : [];
  const said: Partial<Record<Name, string>> = {};
  for (const field of fields) {
    const message = problems.find(({ path }) => path.split(".")[0] === field)?.message;
    if (message !== undefined) said[field] = message;
  }
  return said;
}
