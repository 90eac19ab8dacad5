"use client";

import { Popover as Base } from "@base-ui/react/popover";
import type { ReactElement, ReactNode } from "react";

type PopoverProps = {
  /** Accessible name of the popup. */
  label: string;
  trigger: ReactElement<Record<string, unknown>>;
  isOpen: boolean;
  onOpen: (isOpen: boolean) => void;
  children: ReactNode;
};

/** A small form that opens at its button. Escape and a click outside close it, and the button gets the focus. */
export function Popover({ label, trigger, isOpen, onOpen, children }: PopoverProps) {
  return (
    <Base.Root open={isOpen} onOpenChange={onOpen}>
      <Base.Trigger render={trigger} />
      <Base.Portal>
        <Base.Positioner className="menu-pos pick-pos" align="start" sideOffset={4} collisionPadding={8}>
          <Base.Popup className="menu pop" aria-label={label}>
            {children}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
