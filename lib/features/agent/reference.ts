import type { ErrorKind } from "@/lib/platform/http/errors";

/** Errors that can reject a turn before it starts; later ones are events of its stream. */
export const TURN_FAILURES = [
  "forbidden",
  "not_found",
  "unknown_model",
  "rate_limited",
  "conflict",
] as const satisfies ErrorKind[];

export const CHAT_REFUSALS = {
  messages:
    "A last message that is not the user's, is empty, or has more than 100 parts or 64 KB of text; a role other than user and assistant; an unknown part type",
};
