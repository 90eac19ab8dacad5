"use client";

import { useCallback, useState } from "react";
import { placeFailure } from "@/components/ui/form-failure";
import type { Draft } from "@/lib/features/dashboards/browser/edit/draft";
import type { ApiError } from "@/lib/platform/browser/request";

/** A field of a panel that can show the server's problem. */
export type EditField = "title" | "description" | `widgets.${string}.${"title" | "tab"}`;

/** Holds the message of a rejected save and its problems by field. */
export function useRejection() {
  const [{ failure, problems }, set] = useState<{ failure: string | null; problems: Record<string, string> }>(NONE);
  const setFailure = useCallback((message: string | null) => set({ failure: message, problems: {} }), []);
  const reject = (error: ApiError, draft: Draft) => {
    const placed: Record<string, string> = {};
    const place = (field: string, { message }: { message: string }) => {
      placed[field] = message;
    };
    placeFailure<Record<string, string>>(error, [], place, (path) => toEditField(path, draft));
    // The panel of a field may be closed: the message at the top names every problem.
    const messages = new Set([error.message, ...error.problems.map(({ message }) => message)]);
    set({ failure: [...messages].join(" "), problems: placed });
  };
  return { failure, setFailure, problemOf: (field: EditField) => problems[field], reject };
}

const NONE = { failure: null, problems: {} };

/** Returns the field of a path in the request; null if no panel has one. Widgets are named by their ids. */
function toEditField(path: string, { widgets }: Draft): EditField | null {
  if (path === "title" || path === "description") return path;
  const [, index, field] = /^widgets\.(\d+)\.(title|tab)$/.exec(path) ?? [];
  const widget = index === undefined ? undefined : widgets[Number(index)];
  return widget === undefined ? null : `widgets.${widget.id}.${field as "title" | "tab"}`;
}
