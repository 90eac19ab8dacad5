"use client";

import { useState } from "react";
import { ChangeList } from "@/components/dashboards/edit/theirs-notice";
import type { Editing } from "@/components/dashboards/edit/use-editing";
import { Modal } from "@/components/ui/modal";
import { Notice } from "@/components/ui/notice";

type OtherDraftNoticeProps = { editing: Editing; otherChanges: string[] };

/** Notice that another browser of the user has a different draft. Both stay until the user chooses one. */
export function OtherDraftNotice({ editing, otherChanges }: OtherDraftNoticeProps) {
  const [isComparing, setIsComparing] = useState(false);
  const choices = (
    <>
      <button type="button" className="btn sm" onClick={editing.takeOther}>
        Use other draft
      </button>
      <button type="button" className="btn sm" onClick={editing.keepMine}>
        {editing.changes.length === 0 ? "Discard other draft" : "Keep this draft"}
      </button>
    </>
  );
  return (
    <Notice kind="warn" role="alert">
      <p>
        <b className="b6">Your draft in another browser or tab is different.</b> Both are kept until you choose.
      </p>
      <div className="row edit-ways">
        <button type="button" className="btn sm" onClick={() => setIsComparing(true)}>
          Compare
        </button>
        {choices}
      </div>
      <Modal title="Compare drafts" isOpen={isComparing} onClose={() => setIsComparing(false)} foot={choices}>
        <div className="edit-compare">
          <ChangeList title="Other draft" changes={otherChanges} />
          <ChangeList title="This draft" changes={editing.changes} />
        </div>
      </Modal>
    </Notice>
  );
}
