"use client";

import { type ReactNode, useMemo, useState } from "react";
import { DiscardChanges } from "@/components/dashboards/edit/discard-changes";
import type { LocalDraft } from "@/components/layout/draft-store";
import { Notice } from "@/components/ui/notice";
import { fromText, listChanges } from "@/lib/features/dashboards/browser/edit/draft";
import { toSaveWords } from "@/lib/features/dashboards/browser/edit/save-words";

type DraftNoticeProps = {
  draft: LocalDraft;
  /** Opens the editor, which continues the draft. */
  editLink: ReactNode;
  onDiscard: () => void;
};

/** Notice in view mode that the user has unsaved changes of the dashboard. */
export function DraftNotice({ draft: { content, base }, editLink, onDiscard }: DraftNoticeProps) {
  const [isDiscarding, setIsDiscarding] = useState(false);
  const changes = useMemo(() => {
    const [before, after] = [base === null ? null : fromText(base), fromText(content)];
    return before && after ? listChanges(before, after) : [];
  }, [base, content]);
  if (changes.length === 0) return null;
  return (
    <div className="dashboard-said">
      <Notice
        kind="info"
        role="status"
        action={
          <>
            <button type="button" className="btn sm" onClick={() => setIsDiscarding(true)}>
              Discard changes
            </button>
            {editLink}
          </>
        }
      >
        <b className="b6">{toSaveWords("idle", changes.length)}.</b> Only you can see them, in edit mode.
      </Notice>
      <DiscardChanges
        changes={changes}
        isOpen={isDiscarding}
        onClose={() => setIsDiscarding(false)}
        onDiscard={() => {
          setIsDiscarding(false);
          onDiscard();
        }}
      />
    </div>
  );
}
