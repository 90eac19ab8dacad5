"use client";

import { useEffect } from "react";
import { useWorkspace } from "@/components/layout/workspace-context";
import type { Command } from "@/components/palette/command-store";

/**
 * Registers a view's commands while it is mounted. They are renewed with every render, so that they act on the shown
 * state.
 */
export function useOffer(view: string, offered: Command[]): void {
  const { commands } = useWorkspace();
  useEffect(() => commands.offer(view, offered));
}
