"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { readFoundFrame, readFrame, subscribeFrame, updateFrame } from "@/components/layout/use-frame";
import { useWorkspace } from "@/components/layout/workspace-context";
import { readPreferences } from "@/components/shell/use-kept-workbench";
import { accountApi } from "@/lib/features/accounts/browser/account";
import {
  type KeptChoices,
  toChoices,
  toFrameChange,
  toPreferencesBody,
} from "@/lib/features/accounts/browser/kept-preferences";

/** The choices that this page has applied or sent last. A choice can be made before the effect below runs. */
let known: KeptChoices | null = null;
/** The user who has made a choice in this page. It takes precedence over an older answer of the server. */
let chooserId: string | null = null;

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
    let shown = known ?? toChoices(readFoundFrame());
    let isSending = false;

    const setShown = (choices: KeptChoices) => {
      shown = choices;
      known = choices;
    };
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
      chooserId = user.id;
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
        if (stop.signal.aborted || chooserId === user.id || hasMark(mark) || isSame(kept, shown)) return;
        setShown(kept);
        updateFrame(kept);
      } catch {
        // Without an answer, this browser's copy applies.
      }
    };

    const onChange = () => {
      const now = toChoices(readFrame());
      if (isSame(now, shown)) return;
      setShown(now);
      sendOnce();
    };

    const unsubscribe = subscribeFrame(onChange);
    onChange();
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
