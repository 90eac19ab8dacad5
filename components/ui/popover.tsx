"use client";

import { Popover as Base } from "@base-ui/react/popover";
import type { ReactElement, ReactNode } from "react";

type PopoverProps = {
  /** Read out as the name of what opens. */
  label: string;
  trigger: ReactElement<Record<string, unknown>>;
  isOpen: boolean;
  onOpen: (isOpen: boolean) => void;
  children: ReactNode;
};

/** A small form that opens at its button; Escape and a press outside close it, and the button has the focus again. */
export function Popover({ label, trigger, isOpen, onOpen, children }: PopoverProps) {
  return (
    <Base.Root open={isOpen} onOpenChange={onOpen}>
      <Base.Trigger render={trigger} />
      <Base.Portal>
        <Base.Positioner className="menu-pos" align="start" sideOffset={4} collisionPadding={8}>
          <Base.Popup className="menu pop" aria-label={label}>
            {children}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
