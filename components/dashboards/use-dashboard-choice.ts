"use client";

import { useMemo } from "react";
import { useAddress, useOwnSteps } from "@/components/layout/use-address";
import type { FilterChoice } from "@/lib/features/dashboards/browser/client";
import {
  type ClickValue,
  type PageAsk,
  readChoice,
  toChoiceText,
  toClickKey,
  toClickValue,
  toParam,
} from "@/lib/features/dashboards/browser/dashboard-choice";
import { type Period, readPeriod } from "@/lib/features/dashboards/browser/period-words";

/** What filters the page, from the address. Each change is a step that Back undoes, but for letters that are typed. */
export function useDashboardChoice() {
  const { query, put } = useAddress();
  useOwnSteps();
  const text = toChoiceText(readChoice(query));
  // The same object for the same choice: it is what reading hangs on.
  const choice = useMemo(() => Object.fromEntries(JSON.parse(text)) as FilterChoice, [text]);
  const { grain, compare } = readPeriod(query);
  const ask = useMemo((): PageAsk => ({ filters: choice, grain, compare }), [choice, grain, compare]);
  return {
    choice,
    /** All that the data hangs on, the same object for the same. */
    ask,
    /** Sets what it names; what it leaves out stays. */
    setPeriod: (part: Period) =>
      put(Object.fromEntries(Object.entries(part).map(([key, value]) => [key, value ?? null])), true),
    /** @param value undefined stands on the default */
    set: (key: string, value: unknown, isStep = true) =>
      put({ [toParam(key)]: value === undefined ? null : JSON.stringify(value) }, isStep),
    /** Presses something in a widget, by what is pressed there according to the address. */
    press: (widgetId: string, change: (before: ClickValue | null) => ClickValue | null) => {
      const key = toClickKey(widgetId);
      const next = change(toClickValue(readChoice(new URLSearchParams(window.location.search))[key]));
      put({ [toParam(key)]: next === null ? null : JSON.stringify(next) }, true);
    },
    setWall: (isWall: boolean) => put({ wall: isWall ? "1" : null }, true),
    clear: (keys: readonly string[]) => put(Object.fromEntries(keys.map((key) => [toParam(key), null])), true),
  };
}
export type DashboardChoice = ReturnType<typeof useDashboardChoice>;
