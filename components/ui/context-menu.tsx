"use client";

import { type MouseEvent, type ReactNode, useState } from "react";
import { loadMenu, PlacedMenu } from "@/components/ui/menu";
import type { MenuPlace } from "@/components/ui/menu-parts";

/** Content of a context menu for one target: its first line and its items. */
export type ContextItems = { about: string; items: ReactNode };

type Opened<T> = { target: T; place: MenuPlace; back: HTMLElement | null; isOpen: boolean };

/**
 * Returns the context menu of an area. Right click, the menu key and Shift+F10 open it, at the pointer or at the
 * focused element. Spread `near` over the area, which loads the menu's script early, and render `layer` anywhere.
 * @param toItems returns the menu of a target; null for one without a menu
 */
export function useContextMenu<T>(toItems: (target: T) => ContextItems | null) {
  const [opened, setOpened] = useState<Opened<T> | null>(null);
  const shown = opened && toItems(opened.target);
  const openAt = (target: T, place: MenuPlace) => {
    const { activeElement } = document;
    const back = activeElement instanceof HTMLElement ? activeElement : null;
    loadMenu().then(
      () => setOpened({ target, place, back, isOpen: true }),
      // Offline before it was loaded: buttons and keys offer the same actions.
      () => {},
    );
  };
  const layer = opened && shown && (
    <PlacedMenu
      about={shown.about}
      place={opened.place}
      isOpen={opened.isOpen}
      back={opened.back}
      onClose={() => setOpened({ ...opened, isOpen: false })}
      onGone={() => setOpened(null)}
    >
      {shown.items}
    </PlacedMenu>
  );
  return {
    layer,
    openAt,
    /** Opens it at the pointer. */
    openHere: (target: T, event: MouseEvent) => {
      event.preventDefault();
      openAt(target, { x: event.clientX, y: event.clientY });
    },
    /** Opens it for the keyboard, below the focused element. */
    openUnder: (target: T, element: Element | null) => {
      const box = element?.getBoundingClientRect();
      if (box) openAt(target, { x: box.left + Math.min(box.width / 2, UNDER_PX), y: box.bottom });
    },
    near: { onPointerEnter: () => void loadMenu().catch(() => {}), onFocus: () => void loadMenu().catch(() => {}) },
  };
}

/** Offset of the menu from the left end of a wide row. */
const UNDER_PX = 40;

/** Returns whether a key opens the context menu. */
export function isMenuKey(event: { key: string; shiftKey: boolean }): boolean {
  return event.key === "ContextMenu" || (event.key === "F10" && event.shiftKey);
}
