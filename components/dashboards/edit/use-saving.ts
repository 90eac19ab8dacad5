"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useLayoutEffect, useRef, useState } from "react";
import { toDashboardDataKey, toDashboardKey, toDashboardsKey } from "@/components/dashboards/use-dashboards";
import { useWorkspace } from "@/components/layout/workspace-context";
import { announce } from "@/components/ui/live-region";
import { useConnectivity } from "@/components/ui/use-browser";
import { useSingleFlight } from "@/components/ui/use-single-flight";
import { dashboardApi } from "@/lib/features/dashboards/browser/client";
import { type Draft, findDraftProblem, toDraft, toUpdateBody } from "@/lib/features/dashboards/browser/edit/draft";
import type { Dashboard } from "@/lib/features/dashboards/schema";
import { ApiError } from "@/lib/platform/browser/request";

/** The version that is being edited, and its content. */
export type Base = { version: number; draft: Draft };

export type SavingState = "idle" | "saving" | "waiting" | "saved";

type Saving = {
  id: string;
  base: Base;
  draft: Draft;
  /** Version that the server must still have. */
  version: number;
  /** Deletes the stored draft. */
  dropDraft: () => void;
  setBase: (base: Base) => void;
  setFailure: (message: string | null) => void;
  reject: (error: ApiError, draft: Draft) => void;
  onSaved: (saved: Dashboard) => void;
};

/** Saves the draft of a dashboard: at once, or when the browser is online again. */
export function useSaving({ id, base, draft, version, dropDraft, setBase, setFailure, reject, onSaved }: Saving) {
  const { workspace } = useWorkspace();
  const client = useQueryClient();
  const { isOnline } = useConnectivity();
  const [state, setState] = useState<SavingState>("idle");
  const [send] = useSingleFlight(async () => {
    if (state === "saved") return;
    setFailure(null);
    const problem = findDraftProblem(draft);
    if (problem !== null) return setFailure(problem);
    if (!isOnline) {
      announce("You're offline. Saves when you reconnect.");
      return setState("waiting");
    }
    setState("saving");
    try {
      const saved = await dashboardApi.update(workspace.id, id, toUpdateBody(draft, base.draft, version));
      client.setQueryData(toDashboardKey(workspace.id, id), saved);
      void client.invalidateQueries({ queryKey: toDashboardsKey(workspace.id) });
      void client.invalidateQueries({ queryKey: toDashboardDataKey(workspace.id, id) });
      if (latestDraft.current !== draft) {
        setBase(toBase(saved));
        setState("idle");
        return announce(`${saved.title} saved. Newer changes aren't saved yet.`);
      }
      setState("saved");
      dropDraft();
      announce(`${saved.title} saved`);
      onSaved(saved);
    } catch (error) {
      setState("idle");
      if (!(error instanceof ApiError)) throw error;
      const current = error.code === "conflict" ? toCurrent(error.details) : null;
      if (current) client.setQueryData(toDashboardKey(workspace.id, id), current);
      else if (error.code === "unreachable") setState("waiting");
      else reject(error, draft);
    }
  });
  const sendLatest = useRef(send);
  const latestDraft = useRef(draft);
  useLayoutEffect(() => {
    sendLatest.current = send;
    latestDraft.current = draft;
  });
  useEffect(() => {
    if (state === "waiting" && isOnline) void sendLatest.current();
  }, [state, isOnline]);

  // Let the same key event update the draft first, for example with a query that was being typed.
  const save = () => void setTimeout(() => sendLatest.current());
  return { state, setState, save };
}

export function toBase(dashboard: Dashboard): Base {
  return { version: dashboard.version, draft: toDraft(dashboard) };
}

function toCurrent(details: unknown): Dashboard | null {
  const current = typeof details === "object" && details !== null && "current" in details ? details.current : null;
  return typeof current === "object" && current !== null && "widgets" in current ? (current as Dashboard) : null;
}
