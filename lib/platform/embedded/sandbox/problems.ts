import { relative } from "node:path";
import { AppProblem } from "./guard.ts";
import { APP_FOLDER } from "./places.ts";
import type { Problem } from "./wire.ts";

/** Fields that are read from errors of the builder and its plugins. */
export type BuilderError = {
  message: string;
  id?: string;
  loc?: { file?: string; line?: number; column?: number };
  errors?: BuilderError[];
  cause?: unknown;
};

/** Returns the problems of the app, worded for its author. */
export function toProblems(error: unknown): Problem[] {
  const own = ownProblem(error);
  if (own) return [own];
  if (!(error instanceof Error)) return [toProblem({ message: String(error) })];
  const { errors } = error as BuilderError;
  if (Array.isArray(errors) && errors.length > 0) return errors.flatMap(toProblems);
  return [toProblem(error as BuilderError)];
}

/** The builder wraps errors of plugins. */
function ownProblem(error: unknown): Problem | null {
  for (let each = error; each instanceof Error; each = each.cause) {
    if (each instanceof AppProblem) return each.problem;
    const { problem } = each as { problem?: Problem };
    if (problem) return problem;
  }
  return null;
}

/** Prefix of the first error of a file that is compiled alone. */
const COUNTED = /^Transform failed with \d+ errors?:\s*/;

/** The builder prints the position into its message. */
const DRAWN = /╭─\[ (.+?):(\d+):(\d+) \]/;

/** @param error may be a copy, such as the one that Vite sends to open pages */
export function toProblem({ message, id, loc }: BuilderError): Problem {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the colours of a terminal
  const text = message.replace(/\x1b\[[\d;]*m/g, "").replaceAll(`${APP_FOLDER}/`, "");
  const drawn = DRAWN.exec(text);
  const file = loc?.file ?? id;
  const path = file?.startsWith(`${APP_FOLDER}/`) ? relative(APP_FOLDER, file.replace(/[?#].*$/, "")) : null;
  return {
    path: path ?? drawn?.[1] ?? null,
    line: Number(drawn?.[2] ?? loc?.line) || null,
    column: Number(drawn?.[3] ?? loc?.column) || null,
    message:
      text
        .replace(COUNTED, "")
        .replace(/^\[[\w:.-]+\] /, "")
        .split("\n")[0] ?? "",
  };
}
