"use client";

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useCallback, useEffect, useState } from "react";
import { useWorkspace } from "@/components/layout/workspace-context";
import {
  NEW_QUESTION,
  NEW_QUESTION_ROWS,
  type Question,
  type QuestionTable,
  toFragment,
} from "@/lib/base/questions/question";
import { deviceZone } from "@/lib/base/values/names";
import { api } from "@/lib/features/query/browser/api";
import { readFragment } from "@/lib/features/query/browser/question-address";

/** Pause after the last change before a preview runs, in ms. */
export const PAUSE_MS = 350;

type Asked = {
  question: Question | null;
  isRead: boolean;
  change: (next: Question) => void;
  /** Shows another question, from which Back returns. */
  open: (next: Question) => void;
};

/** The question in the address, which a reload keeps; at first another one. @param initial null until it is known */
export function useQuestion(initial: Question | null): Asked {
  const [state, setState] = useState<{ question: Question | null; isRead: boolean }>({ question: null, isRead: false });
  // The server does not know the fragment.
  useEffect(() => {
    const read = () => setState({ question: readFragment(window.location.hash), isRead: true });
    read();
    window.addEventListener("hashchange", read);
    return () => window.removeEventListener("hashchange", read);
  }, []);
  const change = useCallback((next: Question) => {
    setState({ question: next, isRead: true });
    const { pathname, search } = window.location;
    window.history.replaceState(null, "", pathname + search + toFragment(next));
  }, []);
  const open = useCallback((next: Question) => {
    setState({ question: next, isRead: true });
    const { pathname, search } = window.location;
    window.history.pushState(null, "", pathname + search + toFragment(next));
  }, []);
  return { ...state, open, question: state.isRead ? (state.question ?? initial) : null, change };
}

export function newQuestion(table: QuestionTable): Question {
  return { ...NEW_QUESTION, table, timezone: deviceZone(), limit: NEW_QUESTION_ROWS };
}

/** Returns the statement of a question; null asks nothing. */
export function useQuestionSql(connectionId: string, question: Question | null) {
  const { workspace } = useWorkspace();
  return useQuery({
    queryKey: ["question-sql", workspace.id, connectionId, question],
    queryFn: ({ signal }) => api.explainQuestion(workspace.id, connectionId, question as Question, signal),
    enabled: question !== null,
    placeholderData: keepPreviousData,
    retry: false,
  });
}

/** Returns the result of a question; null asks nothing. @param run number of the run, so that Run asks again */
export function useQuestionAnswer(connectionId: string, question: Question | null, run: number) {
  const { workspace } = useWorkspace();
  return useQuery({
    queryKey: ["question-answers", workspace.id, connectionId, question, run],
    queryFn: async ({ signal }) => {
      const asked = question as Question;
      const answer = await api.askQuestion(workspace.id, connectionId, { question: asked }, signal);
      // The groups are the first columns.
      const fields = answer.fields.map((field, at) => ({ ...field, grain: asked.groups[at]?.grain }));
      return { ...answer, fields };
    },
    enabled: question !== null,
    placeholderData: keepPreviousData,
    retry: false,
  });
}
