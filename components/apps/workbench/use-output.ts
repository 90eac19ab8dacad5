"use client";

import { useCallback, useState } from "react";
import type { FromApp } from "@/lib/apps/frame/messages";

/** What an app has printed, or what broke it. */
export type Said = Extract<FromApp, { type: "console" | "error" }>;
export type OutputLine = { id: number; level: "log" | "info" | "warn" | "error"; text: string; at: number };

/** As many as somebody scrolls through; an app that prints in a loop would fill the page. */
const LINES_MAX = 500;

/** What the app in the preview says, the newest last. */
export function useOutput() {
  const [lines, setLines] = useState<readonly OutputLine[]>([]);
  const say = useCallback((said: Said) => {
    setLines((before) => [...before, toLine(said, (before.at(-1)?.id ?? 0) + 1)].slice(-LINES_MAX));
  }, []);
  const clear = useCallback(() => setLines([]), []);
  return { lines, say, clear };
}

function toLine(said: Said, id: number): OutputLine {
  if (said.type === "console") return { id, level: said.level, text: String(said.text), at: Number(said.at) };
  const text = said.stack?.includes(said.message) ? said.stack : [said.message, said.stack].filter(Boolean).join("\n");
  return { id, level: "error", text, at: Number(said.at) };
}
