"use client";

import { useCallback, useState } from "react";
import type { BuildProblem, FromApp } from "@/lib/features/apps/frame/messages";

/** Message of an app: console output, a runtime error or compile errors. */
export type Said = Extract<FromApp, { type: "console" | "error" | "problems" }>;
export type OutputLine = { id: number; level: "log" | "info" | "warn" | "error"; text: string; at: number };

/** About as many lines as a person scrolls through; an app that prints in a loop would fill the page. */
const LINES_MAX = 500;
/** Limits of what a preview reports at once, and of the text that a mark shows. */
const PROBLEMS_MAX = 50;
const MESSAGE_CHARS_MAX = 1000;

/** Collects the output of the app in the preview, newest last, and its current compile errors. */
export function useOutput() {
  const [lines, setLines] = useState<readonly OutputLine[]>([]);
  const [problems, setProblems] = useState<readonly BuildProblem[]>([]);
  const say = useCallback((said: Said) => {
    if (said.type === "problems") return setProblems(toProblems(said.problems));
    setLines((before) => [...before, toLine(said, (before.at(-1)?.id ?? 0) + 1)].slice(-LINES_MAX));
  }, []);
  const clear = useCallback(() => setLines([]), []);
  /** The preview is gone and cannot report that errors were fixed. */
  const forget = useCallback(() => setProblems([]), []);
  return { lines, problems, say, clear, forget };
}

/** Messages from the app's frame are untrusted. */
function toProblems(told: unknown): BuildProblem[] {
  if (!Array.isArray(told)) return [];
  const toNumber = (value: unknown) => (Number.isInteger(value) ? (value as number) : null);
  return told.slice(0, PROBLEMS_MAX).map((each) => ({
    path: typeof each?.path === "string" ? each.path : null,
    line: toNumber(each?.line),
    column: toNumber(each?.column),
    message: String(each?.message ?? "").slice(0, MESSAGE_CHARS_MAX),
  }));
}

function toLine(said: Exclude<Said, { type: "problems" }>, id: number): OutputLine {
  if (said.type === "console") return { id, level: said.level, text: String(said.text), at: Number(said.at) };
  const text = said.stack?.includes(said.message) ? said.stack : [said.message, said.stack].filter(Boolean).join("\n");
  return { id, level: "error", text, at: Number(said.at) };
}
