"use client";

import { Plus, Search } from "lucide-react";
import { useRouter } from "next/navigation";
import { useEffect, useEffectEvent, useState } from "react";
import { useConsoleActions } from "@/components/consoles/use-console-actions";
import { useWorkspace } from "@/components/layout/workspace-context";
import type { Command } from "@/components/palette/command-store";
import { type Choice, ENDED_EARLY } from "@/components/palette/palette-choice";
import { afterClose, type EnterPress, type HeldKeys, SearchDialog } from "@/components/palette/search-dialog";
import { usePaletteItems } from "@/components/palette/use-palette-items";
import { Keys } from "@/components/ui/keys";
import { useOutage } from "@/components/ui/use-browser";
import {
  groupPalette,
  KINDS,
  type PaletteMode,
  readPaletteText,
} from "@/lib/features/workspaces/browser/palette-items";

const PLACEHOLDERS: Record<PaletteMode, string> = {
  all: "Search consoles, tables and actions",
  places: "Go to console, table, connection or flow",
  actions: "Search actions",
  tables: "Tables",
  people: "Members",
};

type PaletteProps = { mode: PaletteMode; onClose: () => void };

/** Finds everything by name: consoles and their texts, tables, connections, people, and commands. */
export function Palette({ mode: openedMode, onClose }: PaletteProps) {
  const { commands, workspace } = useWorkspace();
  const { create } = useConsoleActions();
  const router = useRouter();
  const [text, setText] = useState("");
  /**
   * Keys held when Enter was pressed before any result arrived: the best match opens once everything has been searched.
   */
  const [entered, setEntered] = useState<HeldKeys | null>(null);
  // Commands at the time of opening; the palette must not list itself.
  const [offered] = useState((): Command[] => commands.readAll().filter(({ id }) => !id.startsWith("palette")));
  /** The item that was last opened in another pane from here, and the pane. */
  const [beside, setBeside] = useState<{ name: string; where: string } | null>(null);
  const outage = useOutage();
  const { mode, search } = readPaletteText(text, openedMode);
  const { choices, awaited, isIncomplete } = usePaletteItems(search, offered, (path) => router.push(path));
  const named: Choice[] =
    search === "" || mode !== "all"
      ? []
      : [
          {
            id: "new-named",
            kind: "action",
            name: `New console named ${search}`,
            detail: "",
            icon: Plus,
            isLast: true,
            open: () => create(null, { name: /\.\w+$/.test(search) ? search : `${search}.sql` }),
          },
        ];
  const groups = groupPalette([...choices, ...named], mode, search);
  const best = groups[0]?.items[0];
  const isSearching = KINDS[mode].some((kind) => awaited.has(kind));

  const choose = (choice: Choice | undefined, { isMod, isAlt }: HeldKeys) => {
    if (!choice) return;
    if (isAlt && choice.openBeside) {
      // The palette stays open, since users often open several items.
      setBeside({ name: choice.name, where: choice.openBeside() });
      return;
    }
    onClose();
    afterClose((isMod && choice.start) || choice.open);
  };
  // Enter chose the best match: moving to another one cancels it.
  const chooseEntered = useEffectEvent((held: HeldKeys) => choose(best, held));
  useEffect(() => {
    if (entered === null || isSearching) return;
    setEntered(null);
    chooseEntered(entered);
  }, [entered, isSearching]);
  const enter = (active: Choice | undefined, { isRepeat, isFirst, ...held }: EnterPress) => {
    // An entry shown before results arrive is not the one searched for, unless Enter is pressed a second time.
    const isEarly = isSearching && isFirst && (!active || active.isLast);
    if (isEarly && entered === null) setEntered(held);
    else if (!isRepeat) choose(active, held);
  };

  return (
    <SearchDialog
      title="Search or jump to…"
      listLabel={`In ${workspace.name}`}
      icon={<Search className="t3" />}
      placeholder={PLACEHOLDERS[mode]}
      text={text}
      onText={setText}
      groups={groups.map(({ kind, label, items }) => ({ id: kind, label, items }))}
      toItemId={({ kind, id }) => `${kind}-${id}`}
      drawItem={(choice, isActive) => <Item choice={choice} isActive={isActive} />}
      onChoose={choose}
      onEnter={enter}
      onMove={() => {
        setEntered(null);
        setBeside(null);
      }}
      foot={(active) => <Foot active={active} isSearching={search !== ""} />}
      onClose={onClose}
    >
      {(best === undefined || entered !== null) && (
        <p className="palette-none" role="status">
          {isSearching ? "Searching" : `No results for "${search}".`}
        </p>
      )}
      {isIncomplete && KINDS[mode].includes("console") && <p className="palette-none">{ENDED_EARLY}</p>}
      {beside !== null && (
        <p className="palette-none" role="status">
          {beside.name} opened in {beside.where}.
        </p>
      )}
      {outage !== null && <p className="palette-none">{outage}. Console contents are not searched.</p>}
    </SearchDialog>
  );
}

/** Explains the keys for the active choice. Shows the modes only until a search starts. */
function Foot({ active, isSearching }: { active: Choice | undefined; isSearching: boolean }) {
  return (
    <>
      <span>
        <kbd>↵</kbd> {active?.kind === "action" ? "do" : "open"}
      </span>
      {active?.start && (
        <span>
          <Keys keys="mod+enter" /> run
        </span>
      )}
      {active?.openBeside && (
        <span>
          <Keys keys="alt+enter" /> open to the side
        </span>
      )}
      <span className="grow" />
      {!isSearching && <span className="t3 trunc">&gt; actions, # tables, @ people</span>}
    </>
  );
}

function Item({ choice: { icon: Icon, name, detail, keys }, isActive }: { choice: Choice; isActive: boolean }) {
  return (
    <>
      <Icon className={isActive ? undefined : "t3"} />
      <span className="b5 palette-name trunc">{name}</span>
      <span className="t3 trunc grow">{detail}</span>
      {keys && <Keys keys={keys} />}
    </>
  );
}
