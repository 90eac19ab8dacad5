"use client";

import { useQuery } from "@tanstack/react-query";
import { GitCompare } from "lucide-react";
import { useEffect, useEffectEvent, useRef, useState } from "react";
import { useDialect } from "@/components/connections/use-connection-types";
import { toHistoryKey } from "@/components/consoles/console-service";
import { type OpenConsole, useSaveState } from "@/components/consoles/use-consoles";
import { showMerge } from "@/components/editor/diff-editor";
import type { LocalDraft } from "@/components/layout/draft-store";
import { useWorkspace } from "@/components/layout/workspace-context";
import { useFindConnection } from "@/components/schema/use-schema";
import { showToast } from "@/components/ui/toast";
import { useMediaQuery } from "@/components/ui/use-browser";
import type { SqlDialect } from "@/lib/base/sql/dialects/registry";
import { mergeSides } from "@/lib/base/text/merge-text";
import { consoleApi } from "@/lib/features/consoles/browser/client";
import type { Console } from "@/lib/features/consoles/schema";
import type { HistoryItem } from "@/lib/features/folders/schema";
import { formatCountOf } from "@/lib/platform/browser/format";
import { formatStamp } from "@/lib/platform/browser/format-time";

type CompareViewProps = { open: OpenConsole; saved: Console; draft: LocalDraft };

/**
 * Shows the saved text beside the user's after two people changed the same lines of a console. Changes of other lines
 * are merged into both sides. The user keeps one of them, or accepts single chunks. Use a new key for another version.
 */
export function CompareView({ open, saved, draft }: CompareViewProps) {
  const { workspace, user, consoles, drafts } = useWorkspace();
  const { isSaving } = useSaveState(open.id);
  const hostRef = useRef<HTMLElement>(null);
  const isNarrow = useMediaQuery("(max-width: 900px)");
  const [sides] = useState(() =>
    draft.base === null
      ? { ours: draft.content, theirs: saved.content, conflicts: 0 }
      : mergeSides(draft.base, draft.content, saved.content),
  );
  const [merged, setMerged] = useState(sides.ours);
  const connection = useFindConnection()(saved.connectionId);
  const dialect = useDialect(connection?.type);
  const last = useQuery({
    queryKey: [...toHistoryKey(workspace.id, saved.id), "last", saved.version],
    queryFn: ({ signal }) => consoleApi.listHistory(workspace.id, saved.id, null, signal),
  }).data?.items[0];

  const mount = useEffectEvent((host: HTMLElement, dialect: SqlDialect) =>
    showMerge(host, {
      theirs: sides.theirs,
      mine: merged,
      dialect,
      isNarrow,
      onChange: (text) => {
        setMerged(text);
        drafts.write(saved, text);
      },
    }),
  );
  useEffect(() => {
    if (hostRef.current !== null && isNarrow !== undefined) return mount(hostRef.current, dialect);
  }, [isNarrow, dialect]);

  const takeTheirs = async () => {
    const typed = drafts.read(open.id)?.content ?? merged;
    if (!(await consoles.resolve(open.id, saved, sides.theirs))) return;
    showToast("Saved version loaded", {
      id: `theirs-${open.id}`,
      action: { label: "Undo", onClick: () => consoles.edit(open.id, typed) },
    });
  };
  const isMerged = merged !== sides.ours;
  return (
    <section className="compare" aria-label="Compare versions">
      <div className="compare-head">
        <div className="row">
          <GitCompare className="s" />
          <h2 className="grow">{toWho(last, user.email)} while you edited it</h2>
        </div>
        <p className="t2 xs">
          {last && `${last.subject}, ${formatStamp(new Date(last.date))}. `}
          {sides.conflicts > 0 &&
            `${formatCountOf(sides.conflicts, "conflict")}. Changes of other lines are merged into both sides. `}
          Both versions are kept in the history.
        </p>
        <div className="row compare-acts">
          <button
            type="button"
            className="btn primary"
            disabled={isSaving}
            onClick={() => void consoles.resolve(open.id, saved, merged)}
          >
            {isMerged ? "Save merged version" : "Keep mine"}
          </button>
          {isMerged && (
            <button
              type="button"
              className="btn"
              disabled={isSaving}
              onClick={() => void consoles.resolve(open.id, saved, sides.ours)}
            >
              Keep mine
            </button>
          )}
          <button type="button" className="btn" disabled={isSaving} onClick={() => void takeTheirs()}>
            Use theirs
          </button>
          <span className="grow" />
          <button type="button" className="btn ghost" onClick={() => consoles.setComparing(open.id, false)}>
            Not now
          </button>
        </div>
      </div>
      <div className="compare-sides xs b5">
        <span>
          <i aria-hidden="true" />
          Saved version {saved.version}
        </span>
        <span className="mine">
          <i aria-hidden="true" />
          Your draft
        </span>
      </div>
      <section ref={hostRef} className="merge-host" aria-label="Diff" />
    </section>
  );
}

/** Describes who saved the newer version; the user, if it was from another window or with an API key. */
function toWho(last: HistoryItem | undefined, ownEmail: string): string {
  if (last === undefined) return "This console was changed";
  return last.author.email === ownEmail
    ? "You changed this console elsewhere"
    : `${last.author.name} changed this console`;
}
