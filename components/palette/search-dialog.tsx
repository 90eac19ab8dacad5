"use client";

import { Dialog } from "@base-ui/react/dialog";
import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from "react";
import { Keys } from "@/components/ui/keys";
import "./palette.css";
import "@/components/ui/foot.css";

/** Results that share one heading. */
export type SearchGroup<T> = { id: string; label: ReactNode; items: T[] };

/** Modifier keys held when an item was chosen. */
export type HeldKeys = { isMod: boolean; isAlt: boolean };
/** State of the Enter key. `isFirst`: the best match is active, as after typing. */
export type EnterPress = HeldKeys & { isRepeat: boolean; isFirst: boolean };

type SearchDialogProps<T> = {
  /** Name of the dialog and of its field. */
  title: string;
  listLabel: string;
  icon: ReactNode;
  placeholder: string;
  className?: string;
  maxLength?: number;
  text: string;
  onText: (text: string) => void;
  groups: SearchGroup<T>[];
  /** Returns a unique id among all groups; part of an element's id. */
  toItemId: (item: T) => string;
  drawItem: (item: T, isActive: boolean) => ReactNode;
  onChoose: (item: T, held: HeldKeys) => void;
  onEnter: (active: T | undefined, press: EnterPress) => void;
  /** Called when another item may have become active: the text, the arrows or the pointer moved. */
  onMove?: () => void;
  /** Notice below the list. */
  children?: ReactNode;
  /** Explains the keys for the active item, besides moving. */
  foot: (active: T | undefined) => ReactNode;
  onClose: () => void;
};

/**
 * A field and its list of results. The field keeps the focus and names the active item; arrows, Enter and the pointer
 * choose.
 */
export function SearchDialog<T>({ text, groups, toItemId, onMove, onClose, ...props }: SearchDialogProps<T>) {
  const listId = useId();
  const listRef = useRef<HTMLDivElement>(null);
  const [wanted, setWanted] = useState(0);
  const flat = groups.flatMap(({ items }) => items);
  const at = Math.min(wanted, flat.length - 1);
  const active = flat[at];
  const toOptionId = (item: T) => `${listId}-${toItemId(item)}`;

  useEffect(() => {
    listRef.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: "nearest" });
  });

  const moveTo = (index: number) => {
    setWanted(index);
    onMove?.();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (event.nativeEvent.isComposing) return;
    if (step !== 0 && flat.length > 0) moveTo((at + step + flat.length) % flat.length);
    else if (event.key === "Enter")
      props.onEnter(active, { ...toHeld(event), isRepeat: event.repeat, isFirst: wanted === 0 });
    else return;
    event.preventDefault();
  };

  return (
    <Dialog.Root open onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="scrim" />
        <Dialog.Popup className={props.className ? `dlg palette ${props.className}` : "dlg palette"}>
          <Dialog.Title className="sr-only">{props.title}</Dialog.Title>
          <div className="palette-head">
            {props.icon}
            <input
              role="combobox"
              aria-label={props.title}
              aria-expanded="true"
              aria-controls={listId}
              aria-activedescendant={active === undefined ? undefined : toOptionId(active)}
              aria-autocomplete="list"
              autoComplete="off"
              spellCheck={false}
              maxLength={props.maxLength}
              placeholder={props.placeholder}
              value={text}
              onChange={(event) => {
                props.onText(event.target.value);
                moveTo(0);
              }}
              onKeyDown={onKeyDown}
            />
            <Keys keys="esc" />
          </div>
          <div ref={listRef} id={listId} role="listbox" aria-label={props.listLabel} className="palette-list">
            {groups.map(({ id, label, items }) => (
              // biome-ignore lint/a11y/useSemanticElements: a group of options inside a list of options
              <div key={id} role="group" aria-labelledby={`${listId}-${id}`}>
                <div id={`${listId}-${id}`} className="palette-label">
                  {label}
                </div>
                {items.map((item) => (
                  // biome-ignore lint/a11y/useKeyWithClickEvents: the field takes the keys
                  // biome-ignore lint/a11y/useFocusableInteractive: the field keeps the focus and names the active option
                  <div
                    key={toItemId(item)}
                    id={toOptionId(item)}
                    role="option"
                    aria-selected={item === active}
                    className={item === active ? "palette-item on" : "palette-item"}
                    onPointerMove={item === active ? undefined : () => moveTo(flat.indexOf(item))}
                    onClick={(event) => props.onChoose(item, toHeld(event))}
                  >
                    {props.drawItem(item, item === active)}
                  </div>
                ))}
              </div>
            ))}
          </div>
          {props.children}
          <div className="foot palette-foot">
            <span>
              <kbd>↑</kbd> <kbd>↓</kbd> select
            </span>
            {props.foot(active)}
          </div>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function toHeld({ metaKey, ctrlKey, altKey }: { metaKey: boolean; ctrlKey: boolean; altKey: boolean }): HeldKeys {
  return { isMod: metaKey || ctrlKey, isAlt: altKey };
}

/** Runs an action after a closing dialog has restored the focus, so that the chosen item can take it. */
export function afterClose(act: () => void): void {
  requestAnimationFrame(() => requestAnimationFrame(act));
}
