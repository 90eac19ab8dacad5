"use client";

import { type ComponentProps, cloneElement, useState } from "react";
import type * as Parts from "@/components/ui/menu-parts";
import { later } from "@/lib/platform/browser/load-again";

/**
 * Menus are a third of the frame's script and are seen only after a click, so they load when a pointer or the focus
 * comes near one. No Suspense: it would hold back content that has just arrived.
 */
const loadParts = later(() => import("@/components/ui/menu-parts"));
let parts: typeof Parts | null = null;
/** Loads the menu's parts. Code that opens a menu without a trigger calls it too. */
export async function loadMenu(): Promise<void> {
  parts ??= await loadParts();
}

/** A menu that opens from its trigger. */
export function Menu(props: Parts.MenuProps) {
  const [isAsked, setIsAsked] = useState(false);
  if (isAsked && parts !== null) return <parts.OpenedMenu {...props} />;
  const { trigger } = props;
  const { onClick } = trigger.props;
  return cloneElement(trigger, {
    "aria-haspopup": "menu",
    "aria-expanded": false,
    onPointerEnter: () => void loadMenu(),
    onFocus: () => void loadMenu(),
    onClick: async (event: unknown) => {
      if (typeof onClick === "function") onClick(event);
      await loadMenu();
      setIsAsked(true);
    },
  });
}

// These parts are rendered inside an opened menu, when their module is loaded.

export function MenuItem(props: ComponentProps<typeof Parts.MenuItem>) {
  return parts && <parts.MenuItem {...props} />;
}

export function MenuBranch(props: ComponentProps<typeof Parts.MenuBranch>) {
  return parts && <parts.MenuBranch {...props} />;
}

export function PlacedMenu(props: ComponentProps<typeof Parts.PlacedMenu>) {
  return parts && <parts.PlacedMenu {...props} />;
}

export function MenuLink(props: ComponentProps<typeof Parts.MenuLink>) {
  return parts && <parts.MenuLink {...props} />;
}

export function MenuToggle(props: ComponentProps<typeof Parts.MenuToggle>) {
  return parts && <parts.MenuToggle {...props} />;
}

export function MenuChoice<T extends string>(props: Parts.ChoiceProps<T>) {
  return parts && <parts.MenuChoice {...props} />;
}

export function MenuLine() {
  return parts && <parts.MenuLine />;
}
