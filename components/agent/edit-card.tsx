"use client";

import { Check, FilePen, GitPullRequestArrow } from "lucide-react";
import { useState } from "react";
import { CardHead } from "@/components/agent/step-line";
import type { ToolPart } from "@/components/agent/tool-parts";
import { useDialect } from "@/components/connections/use-connection-types";
import { useActiveConsoleId, useConsoleActions } from "@/components/consoles/use-console-actions";
import { type OpenConsole, useOpenConsole } from "@/components/consoles/use-consoles";
import { useWorkspace } from "@/components/layout/workspace-context";
import { useFindConnection } from "@/components/schema/use-schema";
import { lazyComponent } from "@/components/ui/lazy-component";
import { announce } from "@/components/ui/live-region";
import { showFailure } from "@/components/ui/toast";
import { changeConsole } from "@/lib/features/consoles/browser/workbench";
import { loadAgain } from "@/lib/platform/browser/load-again";

const DiffView = lazyComponent(
  () => loadAgain(() => import("@/components/editor/diff-view")),
  (module) => module.DiffView,
);

/** A console that the agent saves. If it was not allowed to, the user may save the text. */
export function SaveCard({ tool, isBusy }: { tool: ToolPart; isBusy: boolean }) {
  const { open, create } = useConsoleActions();
  const { consoles } = useWorkspace();
  const { consoleId, name, content, connectionId } = tool.input;
  const id = typeof tool.output.id === "string" ? tool.output.id : typeof consoleId === "string" ? consoleId : null;
  const shownName =
    typeof name === "string" ? name : id === null ? "New console" : (consoles.find(id)?.name ?? "Console");
  if (tool.state === "failed" && typeof consoleId === "string" && typeof content === "string") {
    return <Proposal consoleId={consoleId} next={content} note={tool.errorText} />;
  }
  const openNew = () =>
    create(typeof connectionId === "string" ? connectionId : null, { name: shownName, content: String(content ?? "") });
  return (
    <div className="tool">
      <CardHead
        icon={FilePen}
        title={
          tool.state === "done"
            ? "Saved console"
            : tool.state === "failed"
              ? "Couldn't save console"
              : isBusy
                ? "Saving console"
                : "Console"
        }
        detail={shownName}
        isFailed={tool.state === "failed"}
      />
      {tool.state === "failed" && <p className="tool-error">{tool.errorText}</p>}
      {tool.state !== "running" && (
        <div className="row tool-foot xs">
          <span className="grow" />
          <button type="button" className="link" onClick={() => (id === null ? openNew() : open(id))}>
            {id === null ? "Open as new console" : "Open console"}
          </button>
        </div>
      )}
    </div>
  );
}

type SqlProposalProps = {
  sql: string;
  /** The console to change; default: the open one. */
  consoleId?: string;
  /** The part of the console that the SQL replaces. The whole text if that part no longer exists. */
  replaced?: string;
  /** Shows a button, and the diff only after a click. */
  isFolded?: boolean;
};

/** The SQL of an answer as a change to a console. */
export function SqlProposal({ sql, consoleId, replaced, isFolded = false }: SqlProposalProps) {
  const activeId = useActiveConsoleId();
  const [chosenId, setChosenId] = useState<string | null>(isFolded ? null : (consoleId ?? activeId));
  const target = useOpenConsole(chosenId);
  if (chosenId === null) {
    if (activeId === null) return null;
    return (
      <button type="button" className="btn ghost sm" onClick={() => setChosenId(activeId)}>
        Insert into console
      </button>
    );
  }
  if (target === null) return null;
  const piece = replaced?.trim() ?? "";
  const next = piece !== "" && target.content.includes(piece) ? target.content.replace(piece, () => sql.trim()) : sql;
  return <Proposal consoleId={chosenId} next={next} />;
}

function Proposal({ consoleId, next, note }: { consoleId: string; next: string; note?: string }) {
  const target = useOpenConsole(consoleId);
  // The text when the change was proposed: accepting makes the two equal.
  const [before, setBefore] = useState<string | null>(null);
  const [outcome, setOutcome] = useState<"accepted" | "rejected" | null>(null);
  if (target === null) {
    return (
      <div className="tool">
        <CardHead icon={GitPullRequestArrow} title="Proposed edit" detail="console unavailable" />
      </div>
    );
  }
  const shownBefore = before ?? target.content;
  return (
    <Card
      target={target}
      before={shownBefore}
      next={next}
      note={note}
      outcome={outcome}
      onEnd={(ended) => {
        setBefore(target.content);
        setOutcome(ended);
      }}
    />
  );
}

type CardProps = {
  target: OpenConsole;
  before: string;
  next: string;
  note?: string;
  outcome: "accepted" | "rejected" | null;
  onEnd: (outcome: "accepted" | "rejected" | null) => void;
};

function Card({ target, before, next, note, outcome, onEnd }: CardProps) {
  const { workbench, drafts } = useWorkspace();
  const { open } = useConsoleActions();
  const dialect = useDialect(useFindConnection()(target.connectionId)?.type);
  const { added, removed } = countLines(before, next);
  const write = (content: string) => {
    if (target.saved !== null) drafts.write(target.saved, content);
    else workbench.change((each) => changeConsole(each, target.id, { content, changedAt: Date.now() }));
  };
  const accept = () => {
    onEnd("accepted");
    write(next);
    announce(`Edit applied to ${target.name}. Not saved yet.`);
  };
  const undo = () => {
    if (target.content !== next) return showFailure(`${target.name} has changed since. Undo in the editor.`);
    write(before);
    onEnd(null);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the buttons inside act; their keys work from all of them
    <div
      className={outcome === null ? "tool prop" : "tool"}
      onKeyDown={(event) => {
        if (outcome !== null || !(event.metaKey || event.ctrlKey)) return;
        if (event.key.toLowerCase() === "y") accept();
        else if (event.key === "Backspace") onEnd("rejected");
        else return;
        event.preventDefault();
      }}
    >
      <CardHead
        icon={GitPullRequestArrow}
        title={outcome === "accepted" ? "Edit accepted" : outcome === "rejected" ? "Edit rejected" : "Proposed edit"}
        detail={target.name}
        end={
          <>
            <span className="plus">+{added}</span> <span className="minus">-{removed}</span>
          </>
        }
      />
      {note && <p className="tool-note xs t3">{note}</p>}
      {outcome !== "rejected" && (
        <div className="edit-diff">
          <DiffView key={next} before={before} after={next} kind="unified" dialect={dialect} />
        </div>
      )}
      <div className="row card-acts">
        {outcome === null ? (
          <>
            <button type="button" className="btn primary sm" onClick={accept}>
              <Check className="s" />
              Accept
            </button>
            <button type="button" className="btn sm" onClick={() => onEnd("rejected")}>
              Reject
            </button>
          </>
        ) : outcome === "accepted" ? (
          <button type="button" className="btn sm" onClick={undo}>
            Undo
          </button>
        ) : (
          <button type="button" className="btn sm" onClick={() => onEnd(null)}>
            Review again
          </button>
        )}
        <span className="grow" />
        <button type="button" className="btn ghost sm" onClick={() => open(target.id)}>
          View in editor
        </button>
      </div>
    </div>
  );
}

/** Counts the lines that only one of the two texts has, with repetitions. */
function countLines(before: string, after: string): { added: number; removed: number } {
  const counts = new Map<string, number>();
  for (const line of before.split("\n")) counts.set(line, (counts.get(line) ?? 0) + 1);
  let added = 0;
  for (const line of after.split("\n")) {
    const left = counts.get(line) ?? 0;
    if (left === 0) added += 1;
    else counts.set(line, left - 1);
  }
  return { added, removed: [...counts.values()].reduce((sum, count) => sum + count, 0) };
}
