"use client";

import { Tooltip } from "@base-ui/react/tooltip";
import type { ReactElement } from "react";
import { Keys } from "@/components/ui/keys";

type TipProps = {
  label: string;
  /** A shortcut as written in shortcuts.ts, such as "mod+b". */
  keys?: string;
  side?: "top" | "right" | "bottom" | "left";
  children: ReactElement<Record<string, unknown>>;
};

/** A short name that appears on hover and focus. The control inside keeps its own accessible name. */
export function Tip({ label, keys, side = "bottom", children }: TipProps) {
  return (
    <Tooltip.Root>
      <Tooltip.Trigger render={children} />
      <Tooltip.Portal>
        <Tooltip.Positioner className="tip-pos" side={side} sideOffset={6}>
          <Tooltip.Popup className="tip">
            {label}
            {keys && <Keys keys={keys} />}
          </Tooltip.Popup>
        </Tooltip.Positioner>
      </Tooltip.Portal>
    </Tooltip.Root>
  );
}

/** Neighbouring tips follow each other without a delay. */
export const TipGroup = Tooltip.Provider;
