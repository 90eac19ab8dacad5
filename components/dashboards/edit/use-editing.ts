"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import { toDashboardDataKey, toDashboardKey, toDashboardsKey } from "@/components/dashboards/use-dashboards";
import { DraftStore } from "@/components/layout/draft-store";
import { useLive } from "@/components/layout/use-live";
import { useWorkspace } from "@/components/layout/workspace-context";
import { placeFailure } from "@/components/ui/form-failure";
import { announce } from "@/components/ui/live-region";
import { showFailure } from "@/components/ui/toast";
import { useConnectivity } from "@/components/ui/use-browser";
import { useSingleFlight } from "@/components/ui/use-single-flight";
import { dashboardApi } from "@/lib/features/dashboards/browser/client";
import {
  type Draft,
  findDraftProblem,
  fromText,
  listChanges,
  toDraft,
  toText,
  toUpdateBody,
} from "@/lib/features/dashboards/browser/edit/draft";
import { mergeDrafts, type PartConflict, type Side } from "@/lib/features/dashboards/browser/edit/merge-drafts";
import { begin, mapSteps, pause, redo, type Steps, take, undo } from "@/lib/features/dashboards/browser/edit/steps";
import type { Dashboard } from "@/lib/features/dashboards/schema";
import { ApiError } from "@/lib/platform/browser/request";

/** The version that is being edited, and its content. */
type Base = { version: number; draft: Draft };

/** A field of a panel that can show the server's problem. */
type EditField = "title" | "description" | `widgets.${string}.title`;

export type Editing = {
  draft: Draft;
  steps: Steps<Draft>;
  /** Unsaved changes, in words. */
  changes: string[];
  /** Applies a change that can be undone. @param part names the text field being edited (`take`) */
  apply: (next: Draft, words: string, part?: string | null) => void;
  /** Ends the current typing step: the next change becomes a separate undo step. */
  pause: () => void;
  undo: () => void;
  redo: () => void;
  /** Discards unsaved changes, here and in this browser's storage. */
  discard: () => void;
  save: () => void;
  state: "idle" | "saving" | "waiting" | "saved";
  failure: string | null;
  /** Returns the server's problem of a field; undefined without one. */
  problemOf: (field: EditField) => string | undefined;
  /** Changes by others of parts that the user changed too; null without any. */
  theirs: { dashboard: Dashboard; changes: string[]; conflicts: PartConflict[] } | null;
  takeTheirs: () => void;
  /** Merges the version of others. @param choices the side to keep of each conflict */
  merge: (choices: Readonly<Record<string, Side>>) => void;
  /** Whether changes of others were merged into unsaved ones. */
  isMerged: boolean;
};

/**
 * Manages the editing of a dashboard: undo steps, the draft in this browser, and saving.
 * @param newest latest version from the server
 */
export function useEditing(newest: Dashboard, onSaved: (saved: Dashboard) => void): Editing {
  const { user, workspace } = useWorkspace();
  const client = useQueryClient();
  const { isOnline } = useConnectivity();
  const [store] = useState(() => new DraftStore(user.id, workspace.id, null, sayFull, "dashboard-draft"));
  const [base, setBase] = useState<Base>(() => toBase(newest));
  const [steps, setSteps] = useState(() => begin(toDraft(newest)));
  const [state, setState] = useState<Editing["state"]>("idle");
  const { failure, setFailure, problemOf, reject } = useRejection();
  const [isMerged, setIsMerged] = useState(false);
  /** The stored draft is read once, before anything is written. */
  const [isRead, setIsRead] = useState(false);
  const { id } = newest;

  // Offer the stored draft once, for any latest version.
  useEffect(() => {
    const stop = store.wake();
    const kept = store.read(id);
    const draft = kept && fromText(kept.content);
    const before = kept?.base ? fromText(kept.base) : null;
    if (kept && draft && before) {
      setBase({ version: kept.version, draft: before });
      setSteps(take(begin(before), draft, "Restore draft"));
      announce("Unsaved changes restored");
    }
    setIsRead(true);
    return stop;
  }, [store, id]);

  const draft = steps.value;
  const changes = useMemo(() => listChanges(base.draft, draft), [base.draft, draft]);
  useEffect(() => {
    if (!isRead || state === "saved") return;
    store.rebase({ id, version: base.version, content: toText(base.draft) }, toText(draft));
  }, [store, id, base, draft, isRead, state]);

  useLive((event) => {
    if (event.kind !== "reset" && event.data.resourceId !== id) return;
    void client.invalidateQueries({ queryKey: toDashboardKey(workspace.id, id) });
  });
  // A version with the same content, for example after a rename in a list or a move, is not news.
  const isNews = newest.version > base.version && listChanges(base.draft, toDraft(newest)).length > 0;
  const theirs = useMemo(
    () =>
      isNews
        ? {
            dashboard: newest,
            changes: listChanges(base.draft, toDraft(newest)),
            conflicts: mergeDrafts(base.draft, draft, toDraft(newest)).conflicts,
          }
        : null,
    [isNews, newest, base.draft, draft],
  );
  const version = isNews ? base.version : Math.max(base.version, newest.version);

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
      store.drop(id);
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

  const start = useCallback(
    (from: Dashboard) => {
      store.drop(id);
      setBase(toBase(from));
      setSteps(begin(toDraft(from)));
      setFailure(null);
      setIsMerged(false);
      setState("idle");
    },
    [store, id, setFailure],
  );
  const merge = useCallback(
    (choices: Readonly<Record<string, Side>>) => {
      const latest = toDraft(newest);
      // Undo must not revert the changes of others.
      setSteps((before) => mapSteps(before, (each) => mergeDrafts(base.draft, each, latest, choices).draft));
      setBase(toBase(newest));
      setIsMerged(true);
      announce("Changes merged");
    },
    [newest, base.draft],
  );
  // Without unsaved changes, continue with the latest version; with changes of other parts, merge them.
  const isIdle = isRead && theirs !== null && state === "idle";
  const isUnchanged = isIdle && changes.length === 0;
  const isMergeable = isIdle && changes.length > 0 && theirs.conflicts.length === 0;
  useEffect(() => {
    if (isUnchanged) start(newest);
    else if (isMergeable) merge({});
  }, [isUnchanged, isMergeable, newest, start, merge]);
  const change = (next: (before: Steps<Draft>) => Steps<Draft>) => {
    setSteps(next);
    setFailure(null);
  };
  return {
    draft,
    steps,
    changes,
    apply: (next, words, part = null) => change((before) => take(before, next, words, part)),
    pause: () => setSteps(pause),
    undo: () => change(undo),
    redo: () => change(redo),
    discard: () => start(newest),
    // Let the same key event update the draft first, for example with a query that was being typed.
    save: () => void setTimeout(() => sendLatest.current()),
    state,
    failure,
    problemOf,
    theirs: theirs !== null && changes.length > 0 && theirs.conflicts.length > 0 ? theirs : null,
    takeTheirs: () => start(newest),
    merge,
    isMerged,
  };
}

/** Holds the message of a rejected save and its problems by field. */
function useRejection() {
  const [{ failure, problems }, set] = useState<{ failure: string | null; problems: Record<string, string> }>(NONE);
  const setFailure = useCallback((message: string | null) => set({ failure: message, problems: {} }), []);
  const reject = (error: ApiError, draft: Draft) => {
    const placed: Record<string, string> = {};
    const place = (field: string, { message }: { message: string }) => {
      placed[field] = message;
    };
    placeFailure<Record<string, string>>(error, [], place, (path) => toEditField(path, draft));
    // The panel of a field may be closed: the message at the top names every problem.
    const messages = new Set([error.message, ...error.problems.map(({ message }) => message)]);
    set({ failure: [...messages].join(" "), problems: placed });
  };
  return { failure, setFailure, problemOf: (field: EditField) => problems[field], reject };
}

const NONE = { failure: null, problems: {} };

/** Returns the field of a path in the request; null if no panel has one. Widgets are named by their ids. */
function toEditField(path: string, { widgets }: Draft): EditField | null {
  if (path === "title" || path === "description") return path;
  const [, index] = /^widgets\.(\d+)\.title$/.exec(path) ?? [];
  const widget = index === undefined ? undefined : widgets[Number(index)];
  return widget === undefined ? null : `widgets.${widget.id}.title`;
}

function toBase(dashboard: Dashboard): Base {
  return { version: dashboard.version, draft: toDraft(dashboard) };
}

function toCurrent(details: unknown): Dashboard | null {
  const current = typeof details === "object" && details !== null && "current" in details ? details.current : null;
  return typeof current === "object" && current !== null && "widgets" in current ? (current as Dashboard) : null;
}

function sayFull(): void {
  showFailure("Browser storage is full. Save now to keep your changes.");
}
