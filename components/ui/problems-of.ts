import { ApiError } from "@/lib/platform/browser/request";

/** What the server says of single fields, of what is wrong inside them too; empty when it says nothing of them. */
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
