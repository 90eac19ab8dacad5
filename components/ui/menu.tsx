"use client";

import { cloneElement, lazy, Suspense, useState } from "react";
import type * as Parts from "@/components/ui/menu-parts";

/** Menus are a third of the frame's script and are seen only after a press: they are loaded when one is near. */
const load = () => import("@/components/ui/menu-parts");

const OpenedMenu = lazy(async () => ({ default: (await load()).OpenedMenu }));

/** A menu that opens from its trigger. */
export function Menu(props: Parts.MenuProps) {
  const [isAsked, setIsAsked] = useState(false);
  const { trigger } = props;
  const { onClick } = trigger.props;
  const waiting = cloneElement(trigger, {
    "aria-haspopup": "menu",
    "aria-expanded": false,
    onPointerEnter: () => void load(),
    onFocus: () => void load(),
    onClick: (event: unknown) => {
      if (typeof onClick === "function") onClick(event);
      setIsAsked(true);
    },
  });
  if (!isAsked) return waiting;
  return (
    <Suspense fallback={waiting}>
      <OpenedMenu {...props} />
    </Suspense>
  );
}

// The parts stand inside an opened menu, when the file they come from is already there.
export const MenuItem = lazy(async () => ({ default: (await load()).MenuItem }));
export const MenuLink = lazy(async () => ({ default: (await load()).MenuLink }));
export const MenuToggle = lazy(async () => ({ default: (await load()).MenuToggle }));
export const MenuLine = lazy(async () => ({ default: (await load()).MenuLine }));
/** One of several; `lazy` would forget that the values and the choice have one type. */
export const MenuChoice = lazy(async () => ({
  default: (await load()).MenuChoice,
})) as unknown as typeof Parts.MenuChoice;
