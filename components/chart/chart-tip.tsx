"use client";

import { useLayoutEffect, useRef, useState } from "react";
import { createPortal } from "react-dom";
import { placeTip } from "@/lib/platform/browser/place-tip";

export type TipLine = { name: string; value: string; colour: string | null; isActive: boolean };
type ChartTipProps = {
  /** In pixels of the window. */
  at: { x: number; y: number };
  title: string;
  lines: TipLine[];
  total: string | null;
};

/** The tooltip of a chart, kept inside the window. Screen readers get the same text from the crosshair. */
export function ChartTip({ at, title, lines, total }: ChartTipProps) {
  const ref = useRef<HTMLDivElement>(null);
  const [place, setPlace] = useState<{ left: number; top: number } | null>(null);
  const { x, y } = at;
  // biome-ignore lint/correctness/useExhaustiveDependencies: other words have another size
  useLayoutEffect(() => {
    const tip = ref.current;
    if (tip === null) return;
    const { width, height } = tip.getBoundingClientRect();
    setPlace(placeTip({ x, y }, { width, height }, { width: window.innerWidth, height: window.innerHeight }));
  }, [x, y, title, lines.length, total]);
  return createPortal(
    <div
      ref={ref}
      className="chart-tip"
      aria-hidden="true"
      style={place ? { left: place.left, top: place.top } : { visibility: "hidden" }}
    >
      {title !== "" && <p className="chart-tip-title">{title}</p>}
      {lines.map(({ name, value, colour, isActive }) => (
        <p key={name} className={isActive ? "chart-tip-line on" : "chart-tip-line"}>
          {colour !== null && <i style={{ background: colour }} />}
          {name !== "" && <span className="trunc">{name}</span>}
          <b className="num">{value}</b>
        </p>
      ))}
      {total !== null && (
        <p className="chart-tip-line of-total">
          <span>Total</span>
          <b className="num">{total}</b>
        </p>
      )}
    </div>,
    document.body,
  );
}
