"use client";

import { type PointerEvent, useRef } from "react";
import { updateFrame, useFrame } from "@/components/workspace/use-frame";
import { AGENT_WIDTH, clampAgent } from "@/lib/ui/frame-preferences";

const KEY_STEP_PX = 16;

/** The panel's left edge: drag it, move it with the arrow keys, double-click it for the usual width. */
export function AgentEdge() {
  const { frame } = useFrame();
  const grip = useRef<{ x: number; width: number } | null>(null);
  const width = frame.agentWidth;
  const onPointerDown = (event: PointerEvent<HTMLDivElement>) => {
    if (event.button !== 0) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    grip.current = { x: event.clientX, width };
  };
  const onPointerMove = (event: PointerEvent<HTMLDivElement>) => {
    if (grip.current === null) return;
    updateFrame({ agentWidth: clampAgent(grip.current.width - event.clientX + grip.current.x) });
  };
  const letGo = () => {
    grip.current = null;
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a rule cannot be moved; this separator can
    <div
      className="edge at-left"
      role="separator"
      tabIndex={0}
      aria-label="Width of the agent"
      aria-orientation="vertical"
      aria-controls="agent"
      aria-valuenow={width}
      aria-valuemin={AGENT_WIDTH.min}
      aria-valuemax={AGENT_WIDTH.max}
      onPointerDown={onPointerDown}
      onPointerMove={onPointerMove}
      onPointerUp={letGo}
      onPointerCancel={letGo}
      onDoubleClick={() => updateFrame({ agentWidth: AGENT_WIDTH.normal })}
      onKeyDown={(event) => {
        const step = event.key === "ArrowLeft" ? KEY_STEP_PX : event.key === "ArrowRight" ? -KEY_STEP_PX : 0;
        if (step === 0) return;
        event.preventDefault();
        updateFrame({ agentWidth: clampAgent(width + step) });
      }}
    />
  );
}
