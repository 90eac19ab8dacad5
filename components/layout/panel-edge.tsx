"use client";

import { type PointerEvent, useRef } from "react";
import { updateFrame, useFrame } from "@/components/layout/use-frame";
import {
  AGENT_WIDTH,
  clampAgent,
  clampExplorer,
  EXPLORER_WIDTH,
} from "@/lib/features/accounts/browser/frame-preferences";

const KEY_STEP_PX = 16;

/** `grows`: direction in which the edge moves when its panel becomes wider. */
const PANELS = {
  explorer: { width: "explorerWidth", range: EXPLORER_WIDTH, clamp: clampExplorer, grows: 1, className: "edge" },
  agent: { width: "agentWidth", range: AGENT_WIDTH, clamp: clampAgent, grows: -1, className: "edge at-left" },
} as const;

/** A panel's edge towards the work: drag it, move it with the arrow keys, double-click it for the default width. */
export function PanelEdge({ panel }: { panel: keyof typeof PANELS }) {
  const { frame } = useFrame();
  const grip = useRef<{ x: number; width: number } | null>(null);
  const { width: name, range, clamp, grows, className } = PANELS[panel];
  const width = frame[name];

  const setWidth = (wanted: number) => updateFrame({ [name]: clamp(wanted) });
  const onPointerDown = (event: PointerEvent<HTMLDivElement>) => {
    if (event.button !== 0) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    grip.current = { x: event.clientX, width };
  };
  const onPointerMove = (event: PointerEvent<HTMLDivElement>) => {
    if (grip.current === null) return;
    setWidth(grip.current.width + grows * (event.clientX - grip.current.x));
  };
  const letGo = () => {
    grip.current = null;
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a rule cannot be moved; this separator can
    <div
      className={className}
      role="separator"
      tabIndex={0}
      aria-label={`Resize ${panel}`}
      aria-orientation="vertical"
      aria-controls={panel}
      aria-valuenow={width}
      aria-valuemin={range.min}
      aria-valuemax={range.max}
      onPointerDown={onPointerDown}
      onPointerMove={onPointerMove}
      onPointerUp={letGo}
      onPointerCancel={letGo}
      onDoubleClick={() => setWidth(range.normal)}
      onKeyDown={(event) => {
        const step = event.key === "ArrowRight" ? KEY_STEP_PX : event.key === "ArrowLeft" ? -KEY_STEP_PX : 0;
        if (step === 0) return;
        event.preventDefault();
        setWidth(width + grows * step);
      }}
    />
  );
}
