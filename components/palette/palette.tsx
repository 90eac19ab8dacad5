"use client";

import { Dialog } from "@base-ui/react/dialog";
import { Plus, Search } from "lucide-react";
import { useRouter } from "next/navigation";
import { type KeyboardEvent, useEffect, useEffectEvent, useId, useRef, useState } from "react";
import { type Choice, usePaletteItems } from "@/components/palette/use-palette-items";
import { Keys } from "@/components/ui/keys";
import { useConnectivity } from "@/components/ui/use-browser";
import type { Command } from "@/components/workspace/command-store";
import { useConsoleActions } from "@/components/workspace/use-console-actions";
import { useWorkspace } from "@/components/workspace/workspace-context";
import { groupPalette, KINDS, type PaletteMode, readPaletteText } from "@/lib/ui/palette-items";
import "./palette.css";

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
  const listId = useId();
  const listRef = useRef<HTMLDivElement>(null);
  const [text, setText] = useState("");
  const [at, setAt] = useState(0);
  /** Enter was pressed before anything was found: the best is opened once everything has been searched. */
  const [isEntered, setIsEntered] = useState(false);
  // What could be done before the palette was opened; it must not list itself.
  const [offered] = useState((): Command[] => commands.readAll().filter(({ id }) => !id.startsWith("palette")));
  const { isOnline } = useConnectivity();
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
            run: () => create(null, { name: /\.\w+$/.test(search) ? search : `${search}.sql` }),
          },
        ];
  const groups = groupPalette([...choices, ...named], mode, search);
  const flat = groups.flatMap(({ items }) => items);
  const active = flat[Math.min(at, flat.length - 1)];
  const isSearching = KINDS[mode].some((kind) => awaited.has(kind));

  useEffect(() => {
    listRef.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: "nearest" });
  });

  const choose = (choice: Choice | undefined) => {
    if (!choice) return;
    onClose();
    // After the dialog has given the focus back, so that what is chosen can take it.
    requestAnimationFrame(() => requestAnimationFrame(() => choice.run()));
  };
  const chooseEntered = useEffectEvent(() => choose(active));
  useEffect(() => {
    if (!isEntered || isSearching) return;
    setIsEntered(false);
    chooseEntered();
  }, [isEntered, isSearching]);
  const moveTo = (index: number) => {
    setAt(index);
    setIsEntered(false);
  };
  const enter = (isRepeat: boolean) => {
    // What stands there until something is found is not what was looked for, unless it is asked for once more.
    const isEarly = isSearching && at === 0 && (!active || active.isLast);
    if (isEarly && !isEntered) setIsEntered(true);
    else if (!isRepeat) choose(active);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (event.nativeEvent.isComposing) return;
    if (step !== 0 && flat.length > 0) moveTo((Math.min(at, flat.length - 1) + step + flat.length) % flat.length);
    else if (event.key === "Enter") enter(event.repeat);
    else return;
    event.preventDefault();
  };
  const toOptionId = (choice: Choice) => `${listId}-${choice.kind}-${choice.id}`;

  return (
    <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="scrim" />
        <Dialog.Popup className="dlg palette">
          <Dialog.Title className="sr-only">Search or jump to</Dialog.Title>
          <div className="palette-head">
            <Search className="t3" />
            <input
              role="combobox"
              aria-label="Search or jump to"
              aria-expanded="true"
              aria-controls={listId}
              aria-activedescendant={active ? toOptionId(active) : undefined}
              aria-autocomplete="list"
              autoComplete="off"
              spellCheck={false}
              placeholder={PLACEHOLDERS[mode]}
              value={text}
              onChange={(event) => {
                setText(event.target.value);
                moveTo(0);
              }}
              onKeyDown={onKeyDown}
            />
            <Keys keys="esc" />
          </div>
          <div ref={listRef} id={listId} role="listbox" aria-label={`In ${workspace.name}`} className="palette-list">
            {groups.map(({ kind, label, items }) => (
              // biome-ignore lint/a11y/useSemanticElements: a group of options inside a list of options
              <div key={kind} role="group" aria-labelledby={`${listId}-${kind}`}>
                <div id={`${listId}-${kind}`} className="palette-label">
                  {label}
                </div>
                {items.map((choice) => (
                  <Option
                    key={choice.id}
                    id={toOptionId(choice)}
                    choice={choice}
                    isActive={choice === active}
                    onPoint={() => moveTo(flat.indexOf(choice))}
                    onChoose={() => choose(choice)}
                  />
                ))}
              </div>
            ))}
          </div>
          {(flat.length === 0 || isEntered) && (
            <p className="palette-none" role="status">
              {isSearching ? "Searching" : `Nothing is called "${search}".`}
            </p>
          )}
          {!isOnline && <p className="palette-none">You are offline: texts of consoles are not searched.</p>}
          <div className="foot palette-foot">
            <span>
              <kbd>↑</kbd> <kbd>↓</kbd> choose
            </span>
            <span>
              <kbd>↵</kbd> open
            </span>
            <span className="grow" />
            <span className="t3 trunc">Start with &gt; for actions, # for tables, @ for people</span>
          </div>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

type OptionProps = { id: string; choice: Choice; isActive: boolean; onPoint: () => void; onChoose: () => void };

function Option({ id, choice, isActive, onPoint, onChoose }: OptionProps) {
  const { icon: Icon, name, detail, keys } = choice;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the field takes the keys
    // biome-ignore lint/a11y/useFocusableInteractive: the field keeps the focus and names the active option
    <div
      id={id}
      role="option"
      aria-selected={isActive}
      className={isActive ? "palette-item on" : "palette-item"}
      onPointerMove={isActive ? undefined : onPoint}
      onClick={onChoose}
    >
      <Icon className={isActive ? undefined : "t3"} />
      <span className="b5 palette-name trunc">{name}</span>
      <span className="t3 trunc grow">{detail}</span>
      {keys && <Keys keys={keys} />}
    </div>
  );
}
