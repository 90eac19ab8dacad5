"use client";

import { type ComponentProps, cloneElement, useState } from "react";
import type * as Parts from "@/components/ui/menu-parts";
import { loadAgain } from "@/lib/client/load-again";

/**
 * Menus are a third of the frame's script and are seen only after a press, so they are loaded when a pointer or the
 * focus comes near one. No Suspense: it would hold back what has just arrived.
 */
let parts: typeof Parts | null = null;
async function load(): Promise<void> {
  parts ??= await loadAgain(() => import("@/components/ui/menu-parts"));
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
    onPointerEnter: () => void load(),
    onFocus: () => void load(),
    onClick: async (event: unknown) => {
      if (typeof onClick === "function") onClick(event);
      await load();
      setIsAsked(true);
    },
  });
}

// The parts stand inside an opened menu, when the file that they come from is there.

export function MenuItem(props: ComponentProps<typeof Parts.MenuItem>) {
  return parts && <parts.MenuItem {...props} />;
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
