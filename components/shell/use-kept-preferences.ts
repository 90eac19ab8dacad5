"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { readFrame, subscribeFrame, updateFrame } from "@/components/layout/use-frame";
import { useWorkspace } from "@/components/layout/workspace-context";
import { readPreferences } from "@/components/shell/use-kept-workbench";
import { accountApi } from "@/lib/features/accounts/browser/account";
import {
  type KeptChoices,
  toChoices,
  toFrameChange,
  toPreferencesBody,
} from "@/lib/features/accounts/browser/kept-preferences";

/**
 * Stores theme, density, cell format, editor lines and one-letter keys with the account, so that they follow the user
 * to other browsers. The first paint uses this browser's copy; a change that the server has not accepted yet is marked
 * and sent first.
 */
export function useKeptPreferences(): void {
  const { user } = useWorkspace();
  const queryClient = useQueryClient();
  useEffect(() => {
    const mark = `millrace:preferences-unsent:${user.id}`;
    const stop = new AbortController();
    let shown = toChoices(readFrame());
    let isSending = false;
    let hasChosen = false;

    const send = async () => {
      let sent: KeptChoices;
      do {
        sent = shown;
        try {
          await accountApi.updatePreferences(toPreferencesBody(sent));
        } catch {
          // It stays marked: the next change or the next page sends it.
          return;
        }
      } while (!isSame(sent, shown));
      setMark(mark, false);
    };
    const sendOnce = () => {
      hasChosen = true;
      setMark(mark, true);
      if (isSending) return;
      isSending = true;
      void send().finally(() => {
        isSending = false;
      });
    };

    const begin = async () => {
      if (hasMark(mark)) return sendOnce();
      try {
        const kept = toFrameChange(await readPreferences(queryClient, user.id));
        // A choice made while the answer was loading takes precedence, also if the server already has it.
        if (stop.signal.aborted || hasChosen || hasMark(mark) || isSame(kept, shown)) return;
        shown = kept;
        updateFrame(kept);
      } catch {
        // Without an answer, this browser's copy applies.
      }
    };

    const unsubscribe = subscribeFrame(() => {
      const now = toChoices(readFrame());
      if (isSame(now, shown)) return;
      shown = now;
      sendOnce();
    });
    void begin();
    return () => {
      stop.abort();
      unsubscribe();
    };
  }, [user.id, queryClient]);
}

function isSame(a: KeptChoices, b: KeptChoices): boolean {
  return (Object.keys(a) as (keyof KeptChoices)[]).every((choice) => a[choice] === b[choice]);
}

function hasMark(mark: string): boolean {
  try {
    return localStorage.getItem(mark) !== null;
  } catch {
    return false;
  }
}

function setMark(mark: string, isUnsent: boolean): void {
  try {
    if (isUnsent) localStorage.setItem(mark, "1");
    else localStorage.removeItem(mark);
  } catch {
    // Without storage the change is sent all the same.
  }
}
