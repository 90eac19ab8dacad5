"use client";

import { useEffect } from "react";
import { useWorkspace } from "@/components/layout/workspace-context";
import type { Command } from "@/components/palette/command-store";

/** Lists what a view can do while it is shown. The commands are renewed with every drawing, so that they act on what is seen. */
export function useOffer(view: string, offered: Command[]): void {
  const { commands } = useWorkspace();
  useEffect(() => commands.offer(view, offered));
}
