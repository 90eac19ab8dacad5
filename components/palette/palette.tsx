"use client";

import { Plus, Search } from "lucide-react";
import { useRouter } from "next/navigation";
import { useEffect, useEffectEvent, useState } from "react";
import { useConsoleActions } from "@/components/consoles/use-console-actions";
import { useWorkspace } from "@/components/layout/workspace-context";
import type { Command } from "@/components/palette/command-store";
import { afterClose, type EnterPress, type HeldKeys, SearchDialog } from "@/components/palette/search-dialog";
import { type Choice, usePaletteItems } from "@/components/palette/use-palette-items";
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
  places: "Go to a console, a table, a connection or a flow",
  actions: "What should be done?",
  tables: "Tables",
  people: "People",
};

type PaletteProps = { mode: PaletteMode; onClose: () => void };

/** The way to everything by its name: consoles and their texts, tables, connections, people, and what can be done. */
export function Palette({ mode: openedMode, onClose }: PaletteProps) {
  const { commands, workspace } = useWorkspace();
  const { create } = useConsoleActions();
  const router = useRouter();
  const [text, setText] = useState("");
  /** Enter was pressed, with these, before anything was found: the best is opened once everything has been searched. */
  const [entered, setEntered] = useState<HeldKeys | null>(null);
  // What could be done before the palette was opened; it must not list itself.
  const [offered] = useState((): Command[] => commands.readAll().filter(({ id }) => !id.startsWith("palette")));
  /** What was opened beside from here last, and where. */
  const [beside, setBeside] = useState<{ name: string; where: string } | null>(null);
  const outage = useOutage();
  const { mode, search } = readPaletteText(text, openedMode);
  const { choices, awaited } = usePaletteItems(search, offered, (path) => router.push(path));
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
      // One goes on from here: mostly more than one is wanted.
      setBeside({ name: choice.name, where: choice.openBeside() });
      return;
    }
    onClose();
    afterClose((isMod && choice.start) || choice.open);
  };
  // The best one is what was entered: a move to another takes the press back.
  const chooseEntered = useEffectEvent((held: HeldKeys) => choose(best, held));
  useEffect(() => {
    if (entered === null || isSearching) return;
    setEntered(null);
    chooseEntered(entered);
  }, [entered, isSearching]);
  const enter = (active: Choice | undefined, { isRepeat, isFirst, ...held }: EnterPress) => {
    // What stands there until something is found is not what was looked for, unless it is asked for once more.
    const isEarly = isSearching && isFirst && (!active || active.isLast);
    if (isEarly && entered === null) setEntered(held);
    else if (!isRepeat) choose(active, held);
  };

  return (
    <SearchDialog
      title="Search or jump to"
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
          {isSearching ? "Searching" : `Nothing is called "${search}".`}
        </p>
      )}
      {beside !== null && (
        <p className="palette-none" role="status">
          {beside.name} is open in {beside.where}.
        </p>
      )}
      {outage !== null && <p className="palette-none">{outage}: texts of consoles are not searched.</p>}
    </SearchDialog>
  );
}

/** What each key does with the choice. Where the modes are told is free again once something is searched. */
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
          <Keys keys="alt+enter" /> open beside
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
