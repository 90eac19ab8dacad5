"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useMemo, useState, useSyncExternalStore } from "react";
import { type EditField, useRejection } from "@/components/dashboards/edit/use-rejection";
import { type Base, type SavingState, toBase, useSaving } from "@/components/dashboards/edit/use-saving";
import { toDashboardKey } from "@/components/dashboards/use-dashboards";
import { useDraftStore } from "@/components/dashboards/use-own-draft";
import { useLive } from "@/components/layout/use-live";
import { useWorkspace } from "@/components/layout/workspace-context";
import { announce } from "@/components/ui/live-region";
import { showFailure, showToast } from "@/components/ui/toast";
import { type Draft, fromText, listChanges, toDraft, toText } from "@/lib/features/dashboards/browser/edit/draft";
import { mergeDrafts, type PartConflict, type Side } from "@/lib/features/dashboards/browser/edit/merge-drafts";
import { begin, mapSteps, pause, redo, type Steps, take, undo } from "@/lib/features/dashboards/browser/edit/steps";
import type { Dashboard, DashboardDraft } from "@/lib/features/dashboards/schema";

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
  state: SavingState;
  failure: string | null;
  /** Returns the server's problem of a field; undefined without one. */
  problemOf: (field: EditField) => string | undefined;
  /** Changes by others of parts that the user changed too; null without any. */
  theirs: { dashboard: Dashboard; changes: string[]; conflicts: PartConflict[] } | null;
  takeTheirs: () => void;
  /** Merges the version of others. @param choices the side to keep of each conflict */
  merge: (choices: Readonly<Record<string, Side>>) => void;
  /** Changes of a different draft of the user in another browser; null without one. */
  otherChanges: string[] | null;
  /** Continues with the other browser's draft; undo returns to this browser's. */
  takeOther: () => void;
  /** Replaces the other browser's draft by this browser's. */
  keepMine: () => void;
  /** A stored draft that cannot be read, and is kept until the user discards it; null without one. */
  unreadable: Unreadable | null;
  /** Whether changes of others were merged into unsaved ones. */
  isMerged: boolean;
};
/** With `isOther`, it is another browser's; otherwise new changes are not stored. */
export type Unreadable = { isOther: boolean; discard: () => void };

/**
 * Manages the editing of a dashboard: undo steps, the draft in this browser, and saving.
 * @param newest latest version from the server
 * @param sent the draft that the server has, perhaps from another browser; undefined while that is unknown
 */
export function useEditing(
  newest: Dashboard,
  sent: DashboardDraft | null | undefined,
  onSaved: (saved: Dashboard) => void,
): Editing {
  const { workspace } = useWorkspace();
  const client = useQueryClient();
  const store = useDraftStore(sayFull);
  const [base, setBase] = useState<Base>(() => toBase(newest));
  const [steps, setSteps] = useState(() => begin(toDraft(newest)));
  const { failure, setFailure, problemOf, reject } = useRejection();
  const [isMerged, setIsMerged] = useState(false);
  /** The stored draft is read once, before anything is written. */
  const [isRead, setIsRead] = useState(false);
  /** A stored draft that cannot be read is never replaced unseen. */
  const [isUnreadable, setIsUnreadable] = useState(false);
  const { id } = newest;

  // Offer the stored draft once, for any latest version.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the first version and the first draft only
  useEffect(() => {
    const stop = store.wake({ editedId: id });
    const saved = { id, version: newest.version, content: toText(toDraft(newest)) };
    const own = toParts(store.read(id));
    const adopted = sent === undefined ? null : store.adopt(saved, sent);
    const kept = toParts(store.read(id));
    if (kept) {
      const { version, before, draft } = kept;
      setBase({ version, draft: before });
      const isReplaced = adopted?.shown === "other" && own !== null;
      const first = begin(before);
      const mine = isReplaced ? take(first, mergeDrafts(own.before, own.draft, before).draft, "Restore draft") : first;
      setSteps(take(mine, draft, isReplaced ? "Use other draft" : "Restore draft"));
      announce("Unsaved changes restored");
      if (isReplaced) showToast("Showing your draft from another browser. Undo shows this browser's.");
    }
    setIsUnreadable(kept === null && store.read(id) !== null);
    setIsRead(true);
    return stop;
  }, [store, id]);

  const dropDraft = useCallback(() => {
    if (!isUnreadable) store.drop(id);
  }, [store, id, isUnreadable]);

  const draft = steps.value;
  const changes = useMemo(() => listChanges(base.draft, draft), [base.draft, draft]);
  // A version with the same content, for example after a rename in a list or a move, is not news.
  const isNews = newest.version > base.version && listChanges(base.draft, toDraft(newest)).length > 0;
  const version = isNews ? base.version : Math.max(base.version, newest.version);
  const { state, setState, save } = useSaving({
    id,
    base,
    draft,
    version,
    dropDraft,
    setBase,
    setFailure,
    reject,
    onSaved,
  });
  useEffect(() => {
    if (!isRead || isUnreadable || state === "saved") return;
    store.rebase({ id, version: base.version, content: toText(base.draft) }, toText(draft));
  }, [store, id, base, draft, isRead, isUnreadable, state]);

  useLive((event) => {
    if (event.kind !== "reset" && event.data.resourceId !== id) return;
    void client.invalidateQueries({ queryKey: toDashboardKey(workspace.id, id) });
  });
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

  const start = useCallback(
    (from: Dashboard) => {
      dropDraft();
      setBase(toBase(from));
      setSteps(begin(toDraft(from)));
      setFailure(null);
      setIsMerged(false);
      setState("idle");
    },
    [dropDraft, setFailure, setState],
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
  const other = useSyncExternalStore(
    store.subscribe,
    () => store.readOther(id),
    () => null,
  );
  const otherParts = useMemo(() => toParts(other), [other]);
  const takeOther = () => {
    if (otherParts === null) return;
    const { version, before, draft: next } = otherParts;
    store.takeOther({ id, version: base.version, content: toText(base.draft) });
    setBase({ version, draft: before });
    setSteps((steps) => {
      const mine = mapSteps(steps, (each) => mergeDrafts(base.draft, each, before).draft);
      return take(mine, next, "Use other draft");
    });
    announce("Other draft loaded");
  };
  const toUnreadable = (): Unreadable | null => {
    if (!isUnreadable) {
      return other === null || otherParts !== null ? null : { isOther: true, discard: () => store.keepMine(id) };
    }
    const discard = () => {
      store.drop(id);
      setIsUnreadable(false);
    };
    return { isOther: false, discard };
  };
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
    save,
    state,
    failure,
    problemOf,
    theirs: theirs !== null && changes.length > 0 && theirs.conflicts.length > 0 ? theirs : null,
    takeTheirs: () => start(newest),
    merge,
    otherChanges: otherParts && listChanges(otherParts.before, otherParts.draft),
    takeOther,
    keepMine: () => store.keepMine(id),
    unreadable: toUnreadable(),
    isMerged,
  };
}

/** Returns the saved and the changed content of a draft; null if there is none, or if it is unreadable. */
function toParts(kept: { content: string; version: number; base?: string | null } | null) {
  const draft = kept && fromText(kept.content);
  const before = kept?.base ? fromText(kept.base) : null;
  return kept && draft && before ? { version: kept.version, before, draft } : null;
}

function sayFull(): void {
  showFailure("Browser storage is full. Save now to keep your changes.");
}
