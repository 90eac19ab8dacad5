import type { ErrorKind } from "@/lib/http/errors";

/** What writing a file of the workspace's repository may fail with. */
export const SAVE_FAILURES = ["not_found", "conflict", "too_large", "storage_full"] as const satisfies ErrorKind[];

const name =
  "One that git reserves, that ends in a dot, or that is longer than 200 bytes in UTF-8 or, with its folders, than 1,000";
const access = "Another one than that of the folder";
export const FOLDER_REFUSALS = { name, access, parentId: "A folder inside of itself, or more than 8 levels of them" };
export const CONSOLE_REFUSALS = {
  name,
  access,
  connectionId: "A source, which only flows read",
  chart: "More than 64 KiB as JSON",
};

/** A restored console keeps its name and its access. */
export const UNDELETE_REFUSALS = {
  folderId: "A folder of another access than the console's, or one in which its path is longer than 1,000 bytes",
};

export const EXECUTE_CONSOLE_REFUSALS = {
  content: "Left out where the console is empty, or a text that mixes variables with the engine's own placeholders",
  connectionId: "Left out where the console has none; a source, which only flows read",
  variables: "One missing that the text has",
};
