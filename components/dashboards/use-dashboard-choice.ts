"use client";

import { useMemo } from "react";
import { useAddress, useOwnSteps } from "@/components/layout/use-address";
import type { FilterChoice } from "@/lib/features/dashboards/browser/client";
import {
  type ClickValue,
  type PageAsk,
  readChoice,
  readLost,
  toChoiceKey,
  toChoiceText,
  toClickKey,
  toClickValue,
  toParam,
} from "@/lib/features/dashboards/browser/dashboard-choice";
import { LongChoices, shortenChoice } from "@/lib/features/dashboards/browser/long-choices";
import { type Period, readPeriod } from "@/lib/features/dashboards/browser/period-words";

const longChoices = new LongChoices(() => window.localStorage);
const findLong = (reference: string) => longChoices.find(reference);

/** Reads the filters of the page from the address. Each change adds a history entry, except for typed letters. */
export function useDashboardChoice() {
  const { query, put } = useAddress();
  useOwnSteps();
  const text = toChoiceText(readChoice(query, findLong));
  // Keep the same object for the same choice: data requests depend on its identity.
  const choice = useMemo(() => Object.fromEntries(JSON.parse(text)) as FilterChoice, [text]);
  const { grain, compare } = readPeriod(query);
  const ask = useMemo((): PageAsk => ({ filters: choice, grain, compare }), [choice, grain, compare]);
  const putChoice = (key: string, value: unknown, isStep: boolean) => {
    const changed = new URLSearchParams(window.location.search);
    const param = toParam(key);
    const text = value === undefined ? null : JSON.stringify(value);
    if (text === null) changed.delete(param);
    else changed.set(param, text);
    const own = [...changed].filter(([name]) => toChoiceKey(name) !== null);
    put({ [param]: text, ...shortenChoice(own, (long) => longChoices.keep(long)) }, isStep);
  };
  return {
    choice,
    /** Filters and clicks whose values are stored in another browser. */
    lost: readLost(query, findLong),
    /** Everything that the data depends on; the same object for the same state. */
    ask,
    /** Sets the given properties; the others stay. */
    setPeriod: (part: Period) =>
      put(Object.fromEntries(Object.entries(part).map(([key, value]) => [key, value ?? null])), true),
    /** @param value undefined restores the default */
    set: (key: string, value: unknown, isStep = true) => putChoice(key, value, isStep),
    /** Changes the selection in a widget, based on its current selection in the address. */
    press: (widgetId: string, change: (before: ClickValue | null) => ClickValue | null) => {
      const key = toClickKey(widgetId);
      const query = new URLSearchParams(window.location.search);
      putChoice(key, change(toClickValue(readChoice(query, findLong)[key])) ?? undefined, true);
    },
    setWall: (isWall: boolean) => put({ wall: isWall ? "1" : null }, true),
    clear: (keys: readonly string[]) => put(Object.fromEntries(keys.map((key) => [toParam(key), null])), true),
  };
}
export type DashboardChoice = ReturnType<typeof useDashboardChoice>;
