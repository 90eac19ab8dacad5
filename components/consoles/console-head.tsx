"use client";

import {
  CalendarClock,
  Check,
  ChevronDown,
  ChevronLeft,
  ChevronRight,
  Database,
  Ellipsis,
  EllipsisVertical,
  History,
  Lock,
  MessageSquare,
} from "lucide-react";
import dynamic from "next/dynamic";
import { Fragment, useState } from "react";
import { ConsoleMenu } from "@/components/consoles/console-menu";
import { useTreeActions } from "@/components/consoles/use-tree-actions";
import { ColourTag } from "@/components/ui/colour-tag";
import { Keys } from "@/components/ui/keys";
import { Menu, MenuChoice } from "@/components/ui/menu";
import { NameInput } from "@/components/ui/name-input";
import { Tip } from "@/components/ui/tip";
import { useEngineName } from "@/components/workspace/use-connection-types";
import { useConsoleActions, useIsHistory, useIsSchedule } from "@/components/workspace/use-console-actions";
import { type OpenConsole, useConsoleList, useSaveState } from "@/components/workspace/use-consoles";
import { useDatabases } from "@/components/workspace/use-schema";
import { useWorkspace } from "@/components/workspace/workspace-context";
import type { Console } from "@/lib/client/consoles";
import { loadAgain } from "@/lib/client/load-again";
import type { Connection } from "@/lib/connections/schema";
import { toTrail } from "@/lib/ui/console-tree";
import { formatRowTime } from "@/lib/ui/run-words";

const MoveDialog = dynamic(
  () => loadAgain(() => import("@/components/consoles/move-dialog")).then((module) => module.MoveDialog),
  {
    ssr: false,
  },
);

type HeadProps = { draft: OpenConsole; connection: Connection | null };

/** The bar above the editor: where it stands, what it runs on, its history, and Save. */
export function ConsoleBar({ draft, connection }: HeadProps) {
  const { openHistory, open } = useConsoleActions();
  const isHistory = useIsHistory();
  const [isRenaming, setIsRenaming] = useState(false);
  const { saved } = draft;
  const folders = saved ? toTrail(saved.path) : [];
  const trail = folders.length > 0 ? folders : [saved?.access === "workspace" ? "Workspace" : "Mine"];
  return (
    <div className="bar">
      <span className="bar-trail t3">
        {trail.map((name, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: folders of one name can stand in each other, and none moves alone
          <Fragment key={i}>
            <span className="trunc">{name}</span>
            <ChevronRight className="xs" />
          </Fragment>
        ))}
      </span>
      <ConsoleName draft={draft} className="b5" isRenaming={isRenaming} onRenamed={() => setIsRenaming(false)} />
      <ConnectionChip draft={draft} connection={connection} />
      <span className="grow" />
      {saved && <ScheduleButton saved={saved} />}
      {saved && (
        <button
          type="button"
          className={isHistory ? "btn ghost sm on" : "btn ghost sm"}
          aria-pressed={isHistory}
          onClick={() => (isHistory ? open(draft.id) : openHistory(draft.id))}
        >
          <History className="s" />
          <span className="bar-word">History</span>
        </button>
      )}
      <SaveButton draft={draft} />
      <HeadMenu draft={draft} onRename={() => setIsRenaming(true)} className="btn ghost icon sm" isWide />
    </div>
  );
}

/** When it runs next; or the way to say so. */
function ScheduleButton({ saved }: { saved: Console }) {
  const { openSchedule, open } = useConsoleActions();
  const isSchedule = useIsSchedule();
  const { data: list } = useConsoleList();
  const schedule = (list?.find(({ id }) => id === saved.id) ?? saved).schedule;
  const next = schedule?.nextRuns[0];
  return (
    <button
      type="button"
      className={isSchedule ? "btn ghost sm on" : "btn ghost sm"}
      aria-pressed={isSchedule}
      aria-label={next ? `Schedule, next run ${formatRowTime(new Date(next), new Date())}` : "Schedule"}
      onClick={() => (isSchedule ? open(saved.id) : openSchedule(saved.id))}
    >
      <CalendarClock className="s" />
      <span className="bar-word">{next ? formatRowTime(new Date(next), new Date()) : "Schedule"}</span>
    </button>
  );
}

function SaveButton({ draft }: { draft: OpenConsole }) {
  const { save } = useConsoleActions();
  const { isSaving } = useSaveState(draft.id);
  const isClean = draft.saved !== null && draft.draft === null;
  return (
    <Tip label={isClean ? "All is saved" : "Save as a commit"} keys={isClean ? undefined : "mod+s"}>
      <button
        type="button"
        className="btn sm save"
        aria-disabled={isClean || isSaving}
        onClick={() => !isClean && !isSaving && void save(draft.id)}
      >
        {isClean && <Check className="s" />}
        {isSaving ? "Saving" : isClean ? "Saved" : "Save"}
        {!isClean && !isSaving && <Keys keys="mod+s" />}
      </button>
    </Tip>
  );
}

type HeadMenuProps = { draft: OpenConsole; onRename: () => void; className: string; isWide?: boolean };

function HeadMenu({ draft, onRename, className, isWide = false }: HeadMenuProps) {
  const { move } = useTreeActions();
  const [isMoving, setIsMoving] = useState(false);
  const { saved } = draft;
  return (
    <>
      <Menu
        align="end"
        trigger={
          <button type="button" className={className} aria-label="More about this console">
            {isWide ? <Ellipsis /> : <EllipsisVertical className="l" />}
          </button>
        }
      >
        <ConsoleMenu
          id={draft.id}
          saved={saved}
          hasUnsaved={saved === null || draft.draft !== null}
          onRename={onRename}
          onMove={() => setIsMoving(true)}
        />
      </Menu>
      {isMoving && saved && (
        <MoveDialog
          name={saved.name}
          from={saved}
          folderId={null}
          onMove={(place, name) => void move(saved, place, name)}
          onClose={() => setIsMoving(false)}
        />
      )}
    </>
  );
}

function ConnectionChip({ draft, connection }: HeadProps) {
  const { setConnection } = useConsoleActions();
  const engineName = useEngineName();
  const databases = useDatabases();
  if (connection === null) return null;
  const face = (
    <>
      <Database />
      <span className="trunc">{connection.name}</span> {connection.tag && <ColourTag tag={connection.tag} />}{" "}
      {connection.readOnly && <span className="t3">Read-only</span>}
    </>
  );
  if (databases.length < 2) return <span className="chip">{face}</span>;
  return (
    <Menu
      trigger={
        <button type="button" className="chip">
          <span className="sr-only">Connection </span>
          {face}
          <span className="sr-only">, change it</span>
          <ChevronDown className="xs t3" />
        </button>
      }
    >
      <MenuChoice
        label="Run on"
        value={connection.id}
        onChange={(connectionId) => setConnection(draft.id, connectionId)}
        options={databases.map(({ id, name, type, tag }) => ({
          value: id,
          label: name,
          icon: <Database />,
          end: tag ? <ColourTag tag={tag} /> : engineName(type),
        }))}
      />
    </Menu>
  );
}

type NameProps = { draft: OpenConsole; className?: string; isRenaming: boolean; onRenamed: () => void };

/** The console's name, or the field in which it gets another. */
function ConsoleName({ draft, className = "", isRenaming, onRenamed }: NameProps) {
  const { rename } = useConsoleActions();
  if (!isRenaming) return <h1 className={`trunc ${className}`.trim()}>{draft.name}</h1>;
  return (
    <NameInput
      label="Name of the console"
      value={draft.name}
      onDone={(typed) => {
        onRenamed();
        if (typed !== null) rename(draft.id, typed);
      }}
    />
  );
}

/** The same on a phone, with the way back to the list. */
export function PhoneHead({ draft, connection }: HeadProps) {
  const { workspace, agent } = useWorkspace();
  const { save } = useConsoleActions();
  const { isSaving } = useSaveState(draft.id);
  const [isRenaming, setIsRenaming] = useState(false);
  const hasUnsaved = draft.saved === null || draft.draft !== null;
  const goToList = () => window.history.pushState(null, "", `/w/${workspace.slug}`);
  return (
    <header className="phone-head">
      <button type="button" className="touch" aria-label="Back to the list" onClick={goToList}>
        <ChevronLeft className="l" />
      </button>
      <div className="grow">
        <ConsoleName draft={draft} isRenaming={isRenaming} onRenamed={() => setIsRenaming(false)} />
        {connection && (
          <div className="xs t3 row phone-where">
            {connection.readOnly && <Lock className="xs" />}
            <span className="trunc">
              {connection.name}
              {connection.readOnly ? ", read-only" : ""}
            </span>
            {connection.tag && <ColourTag tag={connection.tag} />}{" "}
          </div>
        )}
      </div>
      {hasUnsaved && (
        <button type="button" className="btn phone-save" aria-disabled={isSaving} onClick={() => void save(draft.id)}>
          Save
        </button>
      )}
      <button type="button" className="touch" aria-label="Ask the agent" onClick={() => agent.open()}>
        <MessageSquare className="l" />
      </button>
      <HeadMenu draft={draft} onRename={() => setIsRenaming(true)} className="touch" />
    </header>
  );
}
