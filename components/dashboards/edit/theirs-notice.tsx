"use client";

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { Editing } from "@/components/dashboards/edit/use-editing";
import { useWorkspace } from "@/components/layout/workspace-context";
import { Modal } from "@/components/ui/modal";
import { Notice } from "@/components/ui/notice";
import { dashboardApi } from "@/lib/features/dashboards/browser/client";

type TheirsNoticeProps = { editing: Editing; theirs: NonNullable<Editing["theirs"]> };

/** Notice that someone else changed the dashboard: author, changes, and the available actions. */
export function TheirsNotice({ editing, theirs }: TheirsNoticeProps) {
  const { workspace } = useWorkspace();
  const [isComparing, setIsComparing] = useState(false);
  const { id, version } = theirs.dashboard;
  const { data } = useQuery({
    queryKey: ["dashboard-saved-by", workspace.id, id, version],
    queryFn: ({ signal }) => dashboardApi.listHistory(workspace.id, id, null, signal),
  });
  const who = data?.items[0]?.author.name ?? "Someone else";
  const ways = (
    <>
      <button type="button" className="btn sm" onClick={editing.takeTheirs}>
        Use theirs
      </button>
      <button type="button" className="btn sm" onClick={editing.saveOverTheirs}>
        Overwrite with mine
      </button>
    </>
  );
  return (
    <Notice kind="warn" role="alert">
      <p>
        <b className="b6">{who} changed this dashboard.</b> Your changes are kept.
      </p>
      <div className="row edit-ways">
        <button type="button" className="btn sm" onClick={() => setIsComparing(true)}>
          Compare
        </button>
        {ways}
      </div>
      <Modal
        title="Compare changes"
        isOpen={isComparing}
        onClose={() => setIsComparing(false)}
        foot={
          <>
            <button type="button" className="btn ghost" onClick={() => setIsComparing(false)}>
              Keep editing
            </button>
            {ways}
          </>
        }
      >
        <div className="edit-compare">
          <Changes title={`Changes by ${who}`} changes={theirs.changes} />
          <Changes title="Your unsaved changes" changes={editing.changes} />
          <p className="xs t3">Your version replaces theirs where both changed. Theirs stays in the history.</p>
        </div>
      </Modal>
    </Notice>
  );
}

function Changes({ title, changes }: { title: string; changes: string[] }) {
  return (
    <section>
      <h3 className="b6">{title}</h3>
      {changes.length === 0 ? (
        <p className="t3">No changes.</p>
      ) : (
        <ul className="edit-changes">
          {changes.map((each) => (
            <li key={each}>{each}</li>
          ))}
        </ul>
      )}
    </section>
  );
}
