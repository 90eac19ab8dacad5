"use client";

import {
  CalendarClock,
  Check,
  ChevronDown,
  ChevronLeft,
  ChevronRight,
  CloudOff,
  Ellipsis,
  EllipsisVertical,
  History,
  ListTree,
  Lock,
  MessageCircleQuestion,
  MessageSquare,
  TextSearch,
  WandSparkles,
  WrapText,
} from "lucide-react";
import Link from "next/link";
import { Fragment, useState } from "react";
import { TypeIcon } from "@/components/connections/type-icon";
import { useEngineName } from "@/components/connections/use-connection-types";
import { ConsoleDetails } from "@/components/consoles/console-dialogs";
import { ConsoleMenu } from "@/components/consoles/console-menu";
import { TransactionSwitch, useManual } from "@/components/consoles/transaction-bar";
import { useConsoleActions, useIsHistory, useIsSchedule } from "@/components/consoles/use-console-actions";
import { type OpenConsole, useConsoleSource, useSaveState, useTabConsoles } from "@/components/consoles/use-consoles";
import type { useEditingUsers } from "@/components/consoles/use-editing-users";
import { useTreeActions } from "@/components/consoles/use-tree-actions";
import { useFrame } from "@/components/layout/use-frame";
import { useWorkspace } from "@/components/layout/workspace-context";
import { useConnections, useDatabases } from "@/components/schema/use-schema";
import { ColourTag } from "@/components/ui/colour-tag";
import { Keys } from "@/components/ui/keys";
import { lazyComponent } from "@/components/ui/lazy-component";
import { Menu, MenuChoice, MenuItem, MenuLine, MenuLink } from "@/components/ui/menu";
import { NameInput } from "@/components/ui/name-input";
import { Mark } from "@/components/ui/person";
import { Tip } from "@/components/ui/tip";
import type { Connection } from "@/lib/features/connections/schema";
import type { Console } from "@/lib/features/consoles/schema";
import { toTrail } from "@/lib/features/folders/browser/item-tree";
import { toSavedQuestionAddress } from "@/lib/features/query/browser/question-address";
import { formatRowTime } from "@/lib/features/runs/browser/run-words";
import { later } from "@/lib/platform/browser/load-again";

const loadMoveDialog = later(() => import("@/components/folders/move-dialog"));
const MoveDialog = lazyComponent(loadMoveDialog, (module) => module.MoveDialog);

type ChipProps = { draft: OpenConsole; connection: Connection | null };
/** `editing`: other users who are typing in the console. */
type HeadProps = ChipProps & { editing: ReturnType<typeof useEditingUsers> };

/** Bar above the editor: the console's location, its connection, its history, and Save. */
export function ConsoleBar({ draft, connection, editing }: HeadProps) {
  const { openHistory, open } = useConsoleActions();
  const isHistory = useIsHistory();
  const [isRenaming, setIsRenaming] = useState(false);
  const [isDetailed, setIsDetailed] = useState(false);
  const { saved } = draft;
  const folders = saved ? toTrail(saved.path) : [];
  const trail = folders.length > 0 ? folders : [saved?.access === "workspace" ? "Workspace" : "Private"];
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
      {saved?.description && (
        <button
          type="button"
          className="bar-about trunc xs t3"
          title={saved.description}
          onClick={() => setIsDetailed(true)}
        >
          <span className="sr-only">Edit description: </span>
          {saved.description}
        </button>
      )}
      <Editing people={editing} />
      <span className="grow" />
      {saved && <QuestionLink saved={saved} />}
      <TransactionSwitch consoleId={draft.id} name={draft.name} connection={connection} />
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
      <HeadMenu
        draft={draft}
        onRename={() => setIsRenaming(true)}
        onDetails={() => setIsDetailed(true)}
        className="btn ghost icon sm"
        isWide
      />
      {saved && isDetailed && <ConsoleDetails saved={saved} onClose={() => setIsDetailed(false)} />}
    </div>
  );
}

/** Returns the address of the question that a console was saved from; null for other consoles. */
function useQuestionAddress(saved: Console | null): string | null {
  const { workspace } = useWorkspace();
  if (!saved?.question || saved.connectionId === null) return null;
  return toSavedQuestionAddress(workspace.slug, saved.connectionId, saved.id);
}

/** Link to the question that the console was saved from. */
function QuestionLink({ saved }: { saved: Console }) {
  const address = useQuestionAddress(saved);
  if (address === null) return null;
  return (
    <Link className="btn ghost sm" href={address}>
      <MessageCircleQuestion className="s" />
      <span className="bar-word">Edit question</span>
    </Link>
  );
}

/** Button with the time of the next run, or one to add a schedule. */
function ScheduleButton({ saved }: { saved: Console }) {
  const { openSchedule, open } = useConsoleActions();
  const isSchedule = useIsSchedule();
  const schedule = (useTabConsoles().find(({ id }) => id === saved.id) ?? saved).schedule;
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
  const { commands } = useWorkspace();
  const { save } = useConsoleActions();
  const { isSaving, isWaiting } = useSaveState(draft.id);
  const isClean = draft.saved !== null && draft.draft === null;
  const isResting = isClean || isSaving || isWaiting;
  const label = isClean ? "All changes saved" : isWaiting ? "Offline. Saves when you reconnect." : "Save version";
  return (
    <Tip label={label} keys={isResting ? undefined : "mod+s"}>
      <button
        type="button"
        className="btn sm save"
        aria-disabled={isResting}
        onClick={() => !isResting && !commands.run("save") && void save(draft.id)}
      >
        {isClean && <Check className="s" />}
        {!isClean && isWaiting && <CloudOff className="s" />}
        {isClean ? "Saved" : isWaiting ? "Offline" : isSaving ? "Saving" : "Save"}
        {!isResting && <Keys keys="mod+s" />}
      </button>
    </Tip>
  );
}

type HeadMenuProps = {
  draft: OpenConsole;
  onRename: () => void;
  onDetails: () => void;
  className: string;
  isWide?: boolean;
};

function HeadMenu({ draft, onRename, onDetails, className, isWide = false }: HeadMenuProps) {
  const { commands } = useWorkspace();
  const { frame, update } = useFrame();
  const { move } = useTreeActions();
  const source = useConsoleSource();
  const [isMoving, setIsMoving] = useState(false);
  const { saved } = draft;
  const question = useQuestionAddress(saved);
  return (
    <>
      <Menu
        align="end"
        trigger={
          <button type="button" className={className} aria-label="Console actions">
            {isWide ? <Ellipsis /> : <EllipsisVertical className="l" />}
          </button>
        }
      >
        <ConsoleMenu
          id={draft.id}
          name={draft.name}
          saved={saved}
          hasUnsaved={saved === null || draft.draft !== null}
          onRename={onRename}
          onMove={() => setIsMoving(true)}
          onDetails={onDetails}
        />
        <MenuLine />
        {question !== null && (
          <MenuLink isNear icon={<MessageCircleQuestion />} href={question}>
            Edit question
          </MenuLink>
        )}
        <MenuItem icon={<ListTree />} keys="mod+shift+e" onSelect={() => commands.run("explain")}>
          Explain statement
        </MenuItem>
        <MenuItem icon={<WandSparkles />} keys="shift+alt+f" onSelect={() => commands.run("format")}>
          Format statement
        </MenuItem>
        <MenuItem icon={<WrapText />} keys="alt+z" onSelect={() => update({ wrapLines: !frame.wrapLines })}>
          {frame.wrapLines ? "Turn off line wrap" : "Turn on line wrap"}
        </MenuItem>
        <MenuItem icon={<TextSearch />} keys="mod+shift+f" onSelect={() => commands.run("find-all")}>
          Search all consoles
        </MenuItem>
      </Menu>
      {isMoving && saved && (
        <MoveDialog
          name={saved.name}
          from={saved}
          source={source}
          folderId={null}
          onMove={(place, name) => void move(saved, place, name)}
          onClose={() => setIsMoving(false)}
        />
      )}
    </>
  );
}

/** Shows who else is typing in the console, before two texts have to be compared. */
function Editing({ people }: { people: ReturnType<typeof useEditingUsers> }) {
  const [first, ...more] = people;
  const words =
    first && (more.length === 0 ? `${first.name} is editing` : `${first.name} and ${more.length} more are editing`);
  return (
    <span className="bar-editing row xs t2" role="status">
      {people.slice(0, 3).map(({ id, name }) => (
        <Mark key={id} id={id} name={name} isSmall />
      ))}
      {words && <span className="trunc">{words}</span>}
    </span>
  );
}

function ConnectionChip({ draft, connection }: ChipProps) {
  const { setConnection } = useConsoleActions();
  const engineName = useEngineName();
  const pages = useConnections();
  const databases = useDatabases();
  const isManual = useManual(draft.id) !== null;
  if (connection === null) return null;
  const face = (
    <>
      <TypeIcon type={connection.type} />
      <span className="trunc">{connection.name}</span> {connection.tag && <ColourTag tag={connection.tag} />}{" "}
      {connection.readOnly && <span className="t3">Read-only</span>}
    </>
  );
  // A session belongs to its connection.
  if (databases.length < 2 || isManual) return <span className="chip">{face}</span>;
  return (
    <Menu
      trigger={
        <button type="button" className="chip">
          <span className="sr-only">Connection </span>
          {face}
          <span className="sr-only">, change connection</span>
          <ChevronDown className="xs t3" />
        </button>
      }
    >
      <MenuChoice
        label="Connection"
        value={connection.id}
        onChange={(connectionId) => setConnection(draft.id, connectionId)}
        options={databases.map(({ id, name, type, tag }) => ({
          value: id,
          label: name,
          icon: <TypeIcon type={type} />,
          end: tag ? <ColourTag tag={tag} /> : engineName(type),
        }))}
      />
      {pages.hasNextPage && (
        <MenuItem isKept onSelect={() => void pages.fetchNextPage()}>
          Show more
        </MenuItem>
      )}
    </Menu>
  );
}

type NameProps = { draft: OpenConsole; className?: string; isRenaming: boolean; onRenamed: () => void };

/** Name of the console, or the input to rename it. */
function ConsoleName({ draft, className = "", isRenaming, onRenamed }: NameProps) {
  const { rename } = useConsoleActions();
  if (!isRenaming) return <h1 className={`trunc ${className}`.trim()}>{draft.name}</h1>;
  return (
    <NameInput
      label="Console name"
      value={draft.name}
      onDone={(typed) => {
        onRenamed();
        if (typed !== null) rename(draft.id, typed);
      }}
    />
  );
}

/** Head of a console on a phone, with a link back to the list. */
export function PhoneHead({ draft, connection, editing }: HeadProps) {
  const { workspace, agent, commands } = useWorkspace();
  const { save } = useConsoleActions();
  const { isSaving, isWaiting } = useSaveState(draft.id);
  const [isRenaming, setIsRenaming] = useState(false);
  const [isDetailed, setIsDetailed] = useState(false);
  const hasUnsaved = draft.saved === null || draft.draft !== null;
  const goToList = () => window.history.pushState(null, "", `/w/${workspace.slug}`);
  return (
    <header className="phone-head">
      <button type="button" className="touch" aria-label="Back to consoles" onClick={goToList}>
        <ChevronLeft className="l" />
      </button>
      <div className="grow">
        <ConsoleName draft={draft} isRenaming={isRenaming} onRenamed={() => setIsRenaming(false)} />
        {editing.length > 0 ? (
          <Editing people={editing} />
        ) : (
          connection && (
            <div className="xs t3 row phone-where">
              {connection.readOnly && <Lock className="xs" />}
              <span className="trunc">
                {connection.name}
                {connection.readOnly ? ", read-only" : ""}
              </span>
              {connection.tag && <ColourTag tag={connection.tag} />}{" "}
            </div>
          )
        )}
      </div>
      {hasUnsaved && (
        <button
          type="button"
          className="btn phone-save"
          aria-disabled={isSaving || isWaiting}
          onClick={() => !isSaving && !isWaiting && !commands.run("save") && void save(draft.id)}
        >
          {isWaiting ? "Offline" : "Save"}
        </button>
      )}
      <button type="button" className="touch" aria-label="Ask agent" onClick={() => agent.open()}>
        <MessageSquare className="l" />
      </button>
      <HeadMenu
        draft={draft}
        onRename={() => setIsRenaming(true)}
        onDetails={() => setIsDetailed(true)}
        className="touch"
      />
      {draft.saved && isDetailed && <ConsoleDetails saved={draft.saved} onClose={() => setIsDetailed(false)} />}
    </header>
  );
}
