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
  const who = data?.items[0]?.author.name ?? "Somebody else";
  const ways = (
    <>
      <button type="button" className="btn sm" onClick={editing.takeTheirs}>
        Load theirs
      </button>
      <button type="button" className="btn sm" onClick={editing.saveOverTheirs}>
        Save mine over it
      </button>
    </>
  );
  return (
    <Notice kind="warn" role="alert">
      <p>
        <b className="b6">{who} has saved this dashboard since you began.</b> What you have changed is still here.
      </p>
      <div className="row edit-ways">
        <button type="button" className="btn sm" onClick={() => setIsComparing(true)}>
          Compare
        </button>
        {ways}
      </div>
      <Modal
        title="What was changed meanwhile"
        isOpen={isComparing}
        onClose={() => setIsComparing(false)}
        foot={
          <>
            <button type="button" className="btn ghost" onClick={() => setIsComparing(false)}>
              Go on editing
            </button>
            {ways}
          </>
        }
      >
        <div className="edit-compare">
          <Changes title={`${who} has`} changes={theirs.changes} />
          <Changes title="You have, and not saved" changes={editing.changes} />
          <p className="xs t3">
            Saving yours takes the parts that you have changed as you have them: datasets, widgets or filters. What they
            have changed in these is undone; the history keeps it.
          </p>
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
        <p className="t3">Nothing.</p>
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
