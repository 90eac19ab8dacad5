"use client";

import { Tooltip } from "@base-ui/react/tooltip";
import { Keys } from "@/components/ui/keys";

export type TipSide = "top" | "right" | "bottom" | "left";
export type TipTarget = { element: HTMLElement; label: string; keys: string | null; side: TipSide };

/** Tooltip of one control, beside it and inside the window. */
export function TipPopup({ target }: { target: TipTarget }) {
  return (
    <Tooltip.Root open>
      <Tooltip.Portal>
        <Tooltip.Positioner className="tip-pos" anchor={target.element} side={target.side} sideOffset={6}>
          <Tooltip.Popup className="tip">
            {target.label}
            {target.keys !== null && <Keys keys={target.keys} />}
          </Tooltip.Popup>
        </Tooltip.Positioner>
      </Tooltip.Portal>
    </Tooltip.Root>
  );
}
