"use client";

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useDashboardSentence } from "@/components/dashboards/dashboard-notice";
import type { Editing } from "@/components/dashboards/edit/use-editing";
import type { DashboardNews } from "@/components/dashboards/use-dashboard-news";
import { useWorkspace } from "@/components/layout/workspace-context";
import { Modal } from "@/components/ui/modal";
import { Notice } from "@/components/ui/notice";
import { Segments } from "@/components/ui/segments";
import { dashboardApi } from "@/lib/features/dashboards/browser/client";
import type { Side } from "@/lib/features/dashboards/browser/edit/merge-drafts";
import { formatCountOf } from "@/lib/platform/browser/format";

const SIDES = [
  { value: "mine", label: "Mine" },
  { value: "theirs", label: "Theirs" },
] as const;

type Theirs = NonNullable<Editing["theirs"]>;
type TheirsNoticeProps = { editing: Editing; theirs: Theirs; news: DashboardNews | null };

/** Notice that someone else changed parts that the user changed too: author, changes, and the available actions. */
export function TheirsNotice({ editing, theirs, news }: TheirsNoticeProps) {
  const [isComparing, setIsComparing] = useState(false);
  const sentence = useSentence(theirs, news);
  const reload = (
    <button type="button" className="btn sm" onClick={editing.takeTheirs}>
      Reload
    </button>
  );
  return (
    <Notice kind="warn" role="alert">
      <p>
        <b className="b6">{sentence}</b> Your changes are kept.
      </p>
      <div className="row edit-ways">
        <button type="button" className="btn sm" onClick={() => setIsComparing(true)}>
          Compare
        </button>
        {reload}
      </div>
      {isComparing && <Merge editing={editing} theirs={theirs} reload={reload} onClose={() => setIsComparing(false)} />}
    </Notice>
  );
}

/** Returns who changed the dashboard: from the event, else from the history. */
function useSentence({ dashboard: { id, version } }: Theirs, news: DashboardNews | null): string {
  const { workspace } = useWorkspace();
  const { data } = useQuery({
    queryKey: ["dashboard-saved-by", workspace.id, id, version],
    queryFn: ({ signal }) => dashboardApi.listHistory(workspace.id, id, null, signal),
    enabled: news === null,
  });
  const sentence = useDashboardSentence(news);
  return news ? sentence : `${data?.items[0]?.author.name ?? "Someone else"} changed this dashboard.`;
}

type MergeProps = { editing: Editing; theirs: Theirs; reload: React.ReactNode; onClose: () => void };

/** Asks for the side to keep of each part that both changed. */
function Merge({ editing, theirs, reload, onClose }: MergeProps) {
  const [choices, setChoices] = useState<Record<string, Side>>({});
  return (
    <Modal
      title="Compare changes"
      isOpen
      onClose={onClose}
      foot={
        <>
          <button type="button" className="btn ghost" onClick={onClose}>
            Keep editing
          </button>
          {reload}
          <button type="button" className="btn primary sm" onClick={() => editing.merge(choices)}>
            Merge changes
          </button>
        </>
      }
    >
      <div className="edit-compare">
        {theirs.conflicts.map(({ key, mine, theirs: other }, at) => (
          <section key={key} className="edit-conflict">
            <h3 className="b6 grow">Conflict {at + 1}</h3>
            <Segments
              label={`Conflict ${at + 1}`}
              value={choices[key] ?? "mine"}
              options={SIDES}
              onChange={(side) => setChoices((before) => ({ ...before, [key]: side }))}
            />
            <dl>
              <dt className="t3">Mine</dt>
              <dd>{mine.join(", ") || "Reverted"}</dd>
              <dt className="t3">Theirs</dt>
              <dd>{other.join(", ") || "Reverted"}</dd>
            </dl>
          </section>
        ))}
        <ChangeList title="Their changes" changes={theirs.changes} />
        <ChangeList title="Your unsaved changes" changes={editing.changes} />
        <p className="xs t3">
          {formatCountOf(theirs.conflicts.length, "conflict")}. All other changes of both sides are kept.
        </p>
      </div>
    </Modal>
  );
}

/** Lists changes of a dashboard under a heading. */
export function ChangeList({ title, changes }: { title: string; changes: string[] }) {
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
