import { ACCESS_REFUSAL, NAME_REFUSAL } from "@/lib/features/folders/reference";

export const CONSOLE_REFUSALS = {
  name: NAME_REFUSAL,
  access: ACCESS_REFUSAL,
  connectionId: "A source that can't be queried",
  chart: "More than 64 KiB as JSON",
  variables: "A number that a double can't hold",
  expect: "A maximum number of rows below the minimum",
};

/** A restored console keeps its name and its access. */
export const UNDELETE_REFUSALS = {
  folderId: "A folder with a different access, or a path over 1,000 bytes",
};

export const EXECUTE_CONSOLE_REFUSALS = {
  content: "Missing for an empty console, or text that mixes variables and native placeholders",
  connectionId: "Missing for a console without a connection, or a source that can't be queried",
  variables: "A variable of the query without a value",
  result: "A number that is not below the statement's number of results",
};
