import type { Options } from "@node-rs/argon2";

/** A thread processes one request at a time and answers in order. */
export type HashingRequest =
  | { type: "hash"; password: string; parameters: Options }
  | { type: "verify"; password: string; stored: string };
export type HashingAnswer = { result: string | boolean };
