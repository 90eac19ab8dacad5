import type { ErrorKind } from "@/lib/platform/http/errors";

/** Error kinds of writing a file of the workspace's repository. */
export const SAVE_FAILURES = ["not_found", "conflict", "too_large", "storage_full"] as const satisfies ErrorKind[];

/** Reasons to reject a name, and a folder with another access. */
export const NAME_REFUSAL =
  'A name that git or Windows reserves, that contains < > : " | ? *, that ends in a dot, or that exceeds 200 bytes (1,000 with its folders)';
export const ACCESS_REFUSAL = "Different from the folder's access";
export const FOLDER_REFUSALS = {
  name: NAME_REFUSAL,
  access: ACCESS_REFUSAL,
  parentId: "A folder inside itself, or more than 8 levels",
};
