"use client";

import { GitCommitHorizontal, Undo2 } from "lucide-react";
import { useState } from "react";
import type { Places } from "@/components/apps/workbench/use-places";
import type { Work } from "@/components/apps/workbench/use-work";
import { ExplorerSection } from "@/components/layout/explorer-section";
import { Confirm } from "@/components/ui/confirm";
import { announce } from "@/components/ui/live-region";
import { showToast } from "@/components/ui/toast";
import { useConnectivity } from "@/components/ui/use-browser";
import { formatCountOf } from "@/lib/platform/browser/format";

type ChangesSectionProps = { work: Work; places: Places; isReadOnly: boolean };

/** Uncommitted changes in the sidebar: their number, the commit message, Commit and Discard. */
export function ChangesSection({ work, places, isReadOnly }: ChangesSectionProps) {
  const { isOnline } = useConnectivity();
  const [message, setMessage] = useState("");
  const [isBusy, setIsBusy] = useState(false);
  const [isDiscarding, setIsDiscarding] = useState(false);
  const drafts = work.status.data?.drafts ?? [];
  const count = new Set([...drafts.map(({ path }) => path), ...work.texts.keys()]).size;

  const commit = async () => {
    setIsBusy(true);
    const done = await work.commit(message.trim() === "" ? undefined : message.trim());
    setIsBusy(false);
    if (done === null) return;
    setMessage("");
    announce("Committed");
    showToast(`Committed ${done.sha.slice(0, 7)} to ${done.branch}`, { id: "committed" });
  };
  return (
    <ExplorerSection
      title="Changes"
      className="app-changes"
      acts={
        count === 0 || isReadOnly
          ? []
          : [{ label: "Discard all changes", icon: <Undo2 className="s" />, onPress: () => setIsDiscarding(true) }]
      }
    >
      <div className="app-commit">
        {count === 0 ? (
          <p className="xs t2">No changes to commit.</p>
        ) : (
          <>
            <button
              type="button"
              className="link xs"
              aria-current={places.centre === "changes" ? "page" : undefined}
              onClick={() => places.showCentre("changes")}
            >
              View {formatCountOf(count, "change")}
            </button>
            {!isReadOnly && (
              <>
                <div className="input">
                  <input
                    aria-label="Commit message"
                    placeholder="Commit message"
                    value={message}
                    maxLength={500}
                    onChange={({ target }) => setMessage(target.value)}
                    onKeyDown={(event) => event.key === "Enter" && isOnline && !isBusy && void commit()}
                  />
                </div>
                <button type="button" className="btn" disabled={isBusy || !isOnline} onClick={() => void commit()}>
                  <GitCommitHorizontal className="s" />
                  {isBusy ? "Committing" : `Commit ${formatCountOf(count, "file")}`}
                </button>
              </>
            )}
            {!isOnline && <p className="xs t2">You're offline. Commit when you reconnect.</p>}
          </>
        )}
      </div>
      {isDiscarding && (
        <Confirm
          title="Discard all changes?"
          action="Discard changes"
          isOpen
          isBusy={isBusy}
          failure={null}
          onConfirm={() => {
            setIsBusy(true);
            void work.discard().then((done) => {
              setIsBusy(false);
              if (done === null) return;
              setIsDiscarding(false);
              announce("Changes discarded");
            });
          }}
          onClose={() => setIsDiscarding(false)}
        >
          This resets {formatCountOf(count, "file")} to the last commit. This can't be undone.
        </Confirm>
      )}
    </ExplorerSection>
  );
}
