"use client";

import { cloneElement, type ReactElement, type ReactNode, useEffect, useEffectEvent, useRef, useState } from "react";
import { lazyComponent } from "@/components/ui/lazy-component";
import type { TipSide, TipTarget } from "@/components/ui/tip-popup";
import { later } from "@/lib/platform/browser/load-again";

const loadTipPopup = later(() => import("@/components/ui/tip-popup"));
const TipPopup = lazyComponent(loadTipPopup, (module) => module.TipPopup);

/**
 * Delay before the first tooltip, in ms: a passing pointer shows nothing. Once one is shown, its neighbours follow at
 * once.
 */
const DELAY_MS = 400;
const WARM_MS = 300;

type TipProps = {
  label: string;
  /** A shortcut as written in shortcuts.ts, such as "mod+b". */
  keys?: string;
  side?: TipSide;
  children: ReactElement<Record<string, unknown>>;
};

/** A tooltip with a short name, on hover and on keyboard focus. The control keeps its accessible name. */
export function Tip({ label, keys, side = "bottom", children }: TipProps) {
  return cloneElement(children, { "data-tip": label, "data-tip-keys": keys, "data-tip-side": side });
}

/** Shows the tooltips inside the page: one layer for all of them, loaded when the first one is due. */
export function TipGroup({ children }: { children: ReactNode }) {
  const [target, setTarget] = useState<TipTarget | null>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const hiddenAt = useRef(Number.NEGATIVE_INFINITY);

  const show = useEffectEvent((element: HTMLElement, delayMs: number) => {
    clearTimeout(timer.current);
    if (element === target?.element) return;
    timer.current = setTimeout(() => setTarget(readTarget(element)), delayMs);
  });
  const hide = useEffectEvent(() => {
    clearTimeout(timer.current);
    if (target === null) return;
    hiddenAt.current = performance.now();
    setTarget(null);
  });

  useEffect(() => {
    const onOver = (event: PointerEvent) => {
      if (event.pointerType === "touch") return;
      const element = findTipped(event.target);
      if (element) show(element, performance.now() - hiddenAt.current < WARM_MS ? 0 : DELAY_MS);
      // The tooltip may be hovered, to read it under a magnifier.
      else if (!(event.target instanceof Element && event.target.closest(".tip"))) hide();
    };
    const onFocus = (event: FocusEvent) => {
      const element = findTipped(event.target);
      if (element?.matches(":focus-visible")) show(element, 0);
      else hide();
    };
    const onKey = (event: KeyboardEvent) => {
      if (event.key === "Escape") hide();
    };
    const onAway = () => hide();
    document.addEventListener("pointerover", onOver);
    document.addEventListener("focusin", onFocus);
    document.addEventListener("focusout", onAway);
    document.addEventListener("keydown", onKey, true);
    document.addEventListener("pointerdown", onAway, true);
    document.documentElement.addEventListener("pointerleave", onAway);
    return () => {
      document.removeEventListener("pointerover", onOver);
      document.removeEventListener("focusin", onFocus);
      document.removeEventListener("focusout", onAway);
      document.removeEventListener("keydown", onKey, true);
      document.removeEventListener("pointerdown", onAway, true);
      document.documentElement.removeEventListener("pointerleave", onAway);
      clearTimeout(timer.current);
    };
  }, []);

  return (
    <>
      {children}
      {target?.element.isConnected && <TipPopup target={target} />}
    </>
  );
}

function findTipped(target: EventTarget | null): HTMLElement | null {
  return target instanceof Element ? target.closest<HTMLElement>("[data-tip]") : null;
}

function readTarget(element: HTMLElement): TipTarget {
  const { tip = "", tipKeys = null, tipSide } = element.dataset;
  const side = SIDES.find((each) => each === tipSide) ?? "bottom";
  return { element, label: tip, keys: tipKeys, side };
}

const SIDES: TipSide[] = ["top", "right", "bottom", "left"];
