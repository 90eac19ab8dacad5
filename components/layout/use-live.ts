"use client";

import { useEffect, useRef } from "react";
import { useWorkspace } from "@/components/layout/workspace-context";
import type { LiveEvent } from "@/lib/platform/browser/live";

/** Calls back for each change of the workspace while the component is mounted. On `reset`, reload what is shown. */
export function useLive(onEvent: (event: LiveEvent) => void): void {
  const { live } = useWorkspace();
  const latest = useRef(onEvent);
  useEffect(() => {
    latest.current = onEvent;
  });
  useEffect(() => live.listen((event) => latest.current(event)), [live]);
}
