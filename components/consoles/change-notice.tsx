"use client";

import { GitCompare, X } from "lucide-react";
import { useState } from "react";
import { useDialect } from "@/components/connections/use-connection-types";
import type { ConsoleNews } from "@/components/consoles/console-service";
import { type OpenConsole, useConsoleNews, useOtherDraft } from "@/components/consoles/use-consoles";
import type { ItemNews } from "@/components/layout/item-news";
import { useChangeSentence } from "@/components/layout/use-change-sentence";
import { useWorkspace } from "@/components/layout/workspace-context";
import { useFindConnection } from "@/components/schema/use-schema";
import { lazyComponent } from "@/components/ui/lazy-component";
import { ListSkeleton } from "@/components/ui/list-skeleton";
import { Modal } from "@/components/ui/modal";
import { later } from "@/lib/platform/browser/load-again";

const loadDiffView = later(() => import("@/components/editor/diff-view"));
const DiffView = lazyComponent(
  loadDiffView,
  (module) => module.DiffView,
  () => <ListSkeleton label="Loading diff" rows={3} rowPx={26} />,
);

const CHANGE = { before: "Before this change", after: "After this change" };
const DRAFTS = { before: "This draft", after: "Other draft" };

const NO_NEWS: ItemNews = { userId: null, push: null };

/** Notice that someone else changed the console. A draft that could not be merged stays until the user decides. */
export function ChangeNotice({ open }: { open: OpenConsole }) {
  const { consoles } = useWorkspace();
  const news = useConsoleNews(open.id);
  const sentence = useNewsSentence(news, open.isStale ? undefined : open.name);
  const [isShowingDiff, setIsShowingDiff] = useState(false);
  if (!open.isStale && news === null) return null;
  const before = news?.before ?? open.draft?.base ?? null;
  const after = open.saved?.content ?? null;
  return (
    <div className={open.isStale ? "stale" : "stale calm"} role="status">
      <GitCompare className="s" />
      <span className="grow">
        <b className="b6">{sentence}</b> {open.isStale ? "Your draft is kept." : toEffect(news)}
      </span>
      {before !== null && after !== null && before !== after && (
        <button type="button" className="btn sm" onClick={() => setIsShowingDiff(true)}>
          View diff
        </button>
      )}
      {open.isStale && (
        <>
          <button type="button" className="btn sm" onClick={() => consoles.setComparing(open.id, true)}>
            Compare
          </button>
          <button type="button" className="btn sm" onClick={() => consoles.reload(open.id)}>
            Reload
          </button>
        </>
      )}
      {!open.isStale && (
        <button
          type="button"
          className="btn ghost icon sm"
          aria-label="Dismiss"
          onClick={() => consoles.dismissNews(open.id)}
        >
          <X />
        </button>
      )}
      {isShowingDiff && before !== null && after !== null && (
        <Diff
          open={open}
          title={sentence.replace(/\.$/, "")}
          before={before}
          after={after}
          labels={CHANGE}
          onClose={() => setIsShowingDiff(false)}
        />
      )}
    </div>
  );
}

function toEffect(news: ConsoleNews | null): string {
  if (news?.effect === "merged") return "Merged into your draft.";
  return news?.movedTo ? `New path: ${news.movedTo}` : "";
}

/** Returns who changed a console, and how. @param saved name to show for a save that the editor shows */
export function useNewsSentence(news: ConsoleNews | null, saved?: string): string {
  const sentence = useChangeSentence(news ?? NO_NEWS, (name) => {
    if (news?.effect === "deleted") return `${name} deleted this console.`;
    return saved === undefined ? `${name} changed this console.` : `${name} saved ${saved}.`;
  });
  return news === null || news.userId === null ? "This console was changed elsewhere." : sentence;
}

/** Notice that another browser of the user has a different draft. Both stay until the user chooses one. */
export function OtherDraftNotice({ open: { id, connectionId, content, draft } }: { open: OpenConsole }) {
  const { consoles, drafts } = useWorkspace();
  const other = useOtherDraft(id);
  const [isShowingDiff, setIsShowingDiff] = useState(false);
  if (other === null) return null;
  return (
    <div className="stale" role="status">
      <GitCompare className="s" />
      <span className="grow">
        <b className="b6">Your draft in another browser or tab is different.</b> Both are kept until you choose.
      </span>
      <button type="button" className="btn sm" onClick={() => setIsShowingDiff(true)}>
        View diff
      </button>
      <button type="button" className="btn sm" onClick={() => consoles.takeOtherDraft(id)}>
        Use other draft
      </button>
      <button type="button" className="btn sm" onClick={() => drafts.keepMine(id)}>
        {draft === null ? "Discard other draft" : "Keep this draft"}
      </button>
      {isShowingDiff && (
        <Diff
          open={{ connectionId }}
          title="Compare drafts"
          before={content}
          after={other.content}
          labels={DRAFTS}
          onClose={() => setIsShowingDiff(false)}
        />
      )}
    </div>
  );
}

type DiffProps = {
  open: Pick<OpenConsole, "connectionId">;
  title: string;
  before: string;
  after: string;
  labels: { before: string; after: string };
  onClose: () => void;
};

function Diff({ open, title, before, after, labels, onClose }: DiffProps) {
  const connection = useFindConnection()(open.connectionId);
  const dialect = useDialect(connection?.type);
  return (
    <Modal title={title} isOpen onClose={onClose} isWide>
      <DiffView key={after} before={before} after={after} kind="unified" dialect={dialect} labels={labels} />
    </Modal>
  );
}
