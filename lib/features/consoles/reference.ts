import { ACCESS_REFUSAL, NAME_REFUSAL } from "@/lib/features/folders/reference";

export const CONSOLE_REFUSALS = {
  name: NAME_REFUSAL,
  access: ACCESS_REFUSAL,
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
