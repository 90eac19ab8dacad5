"use client";

import { type PointerEvent, useRef } from "react";
import { updateFrame, useFrame } from "@/components/workspace/use-frame";
import { clampExplorer, EXPLORER_WIDTH } from "@/lib/ui/frame-preferences";

const KEY_STEP_PX = 16;

/** The explorer's right edge: drag it, move it with the arrow keys, double-click it for the usual width. */
export function ExplorerEdge() {
  const { frame } = useFrame();
  const grip = useRef<{ x: number; width: number } | null>(null);
  const width = frame.explorerWidth;

  const onPointerDown = (event: PointerEvent<HTMLDivElement>) => {
    if (event.button !== 0) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    grip.current = { x: event.clientX, width };
  };
  const onPointerMove = (event: PointerEvent<HTMLDivElement>) => {
    if (grip.current === null) return;
    updateFrame({ explorerWidth: clampExplorer(grip.current.width + event.clientX - grip.current.x) });
  };
  const letGo = () => {
    grip.current = null;
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a rule cannot be moved; this separator can
    <div
      className="edge"
      role="separator"
      tabIndex={0}
      aria-label="Width of the explorer"
      aria-orientation="vertical"
      aria-controls="explorer"
      aria-valuenow={width}
      aria-valuemin={EXPLORER_WIDTH.min}
      aria-valuemax={EXPLORER_WIDTH.max}
      onPointerDown={onPointerDown}
      onPointerMove={onPointerMove}
      onPointerUp={letGo}
      onPointerCancel={letGo}
      onDoubleClick={() => updateFrame({ explorerWidth: EXPLORER_WIDTH.normal })}
      onKeyDown={(event) => {
        const step = event.key === "ArrowRight" ? KEY_STEP_PX : event.key === "ArrowLeft" ? -KEY_STEP_PX : 0;
        if (step === 0) return;
        event.preventDefault();
        updateFrame({ explorerWidth: clampExplorer(width + step) });
      }}
    />
  );
}
