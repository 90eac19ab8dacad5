"use client";

import { X } from "lucide-react";
import { useState } from "react";
import { useDashboardActions } from "@/components/dashboards/use-dashboard-actions";
import type { DashboardNews } from "@/components/dashboards/use-dashboard-news";
import type { ItemNews } from "@/components/layout/item-news";
import { useChangeSentence } from "@/components/layout/use-change-sentence";
import { Modal } from "@/components/ui/modal";
import { Notice } from "@/components/ui/notice";
import type { Dashboard } from "@/lib/features/dashboards/schema";
import { changesBetween } from "@/lib/features/dashboards/words";

type DashboardNoticeProps = {
  news: DashboardNews;
  /** The version that is shown now. */
  dashboard: Dashboard;
  /** The effect on the user's own changes; empty without any. */
  effect: string;
  onDismiss: () => void;
};

/** Notice that someone else changed the dashboard, which shows the new version already. */
export function DashboardNotice({ news, dashboard, effect, onDismiss }: DashboardNoticeProps) {
  const [isOpen, setIsOpen] = useState(false);
  const sentence = useDashboardSentence(news);
  const changes = changesBetween(news.before, dashboard);
  return (
    <Notice
      kind="info"
      role="status"
      action={
        <>
          {changes.length > 0 && (
            <button type="button" className="btn sm" onClick={() => setIsOpen(true)}>
              View changes
            </button>
          )}
          <button type="button" className="btn ghost icon sm" aria-label="Dismiss" onClick={onDismiss}>
            <X />
          </button>
        </>
      }
    >
      <b className="b6">{sentence}</b> {effect}
      <Modal title={sentence.replace(/\.$/, "")} isOpen={isOpen} onClose={() => setIsOpen(false)}>
        <ul className="change-words">
          {changes.map((each) => (
            <li key={each}>{each}</li>
          ))}
        </ul>
      </Modal>
    </Notice>
  );
}

/** Shown in the place of a dashboard that someone else deleted. */
export function DeletedDashboard({ news }: { news: DashboardNews }) {
  const actions = useDashboardActions();
  const sentence = useDashboardSentence(news);
  return (
    <main className="page" aria-labelledby="page-title">
      <div className="page-in">
        <div className="empty blank">
          <h1 id="page-title">Dashboard deleted</h1>
          <p>{sentence}</p>
          <div className="row">
            <button type="button" className="btn primary" onClick={() => void actions.undelete(news.before.id)}>
              Restore dashboard
            </button>
          </div>
        </div>
      </div>
    </main>
  );
}

/** Shown over the editor of a dashboard that someone else deleted. */
export function DeletedNotice({ news, onRestored }: { news: DashboardNews; onRestored: () => void }) {
  const actions = useDashboardActions();
  const sentence = useDashboardSentence(news);
  const restore = async () => {
    if ((await actions.undelete(news.before.id)) !== null) onRestored();
  };
  return (
    <Notice
      kind="warn"
      role="alert"
      action={
        <button type="button" className="btn sm" onClick={() => void restore()}>
          Restore dashboard
        </button>
      }
    >
      <b className="b6">{sentence}</b> This dashboard is deleted. Your changes are kept.
    </Notice>
  );
}

const NO_NEWS: ItemNews = { userId: null, push: null };

/** Returns who changed a dashboard, and how. */
export function useDashboardSentence(news: DashboardNews | null): string {
  const verb = news?.isDeleted ? "deleted" : "changed";
  return useChangeSentence(news ?? NO_NEWS, (name) => `${name} ${verb} this dashboard.`);
}
