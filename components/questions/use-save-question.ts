"use client";

import { useState } from "react";
import { useConsoleActions } from "@/components/consoles/use-console-actions";
import { useWorkspace } from "@/components/layout/workspace-context";
import { toMessage } from "@/components/ui/to-message";
import { showFailure, showToast } from "@/components/ui/toast";
import type { Question } from "@/lib/base/questions/question";
import type { KeptChart } from "@/lib/features/consoles/browser/client";
import { ENDINGS } from "@/lib/features/consoles/browser/languages";
import { toConsoleName, toFreeName } from "@/lib/features/consoles/browser/workbench";
import type { Console, Language } from "@/lib/features/consoles/schema";
import { api } from "@/lib/features/query/browser/api";

type Saved = { question: Question; name: string; chart: KeptChart | null };

/**
 * Saves a question with its statement, and opens its console.
 * @param saved console that it replaces; null creates one
 */
export function useSaveQuestion(connectionId: string, saved: Console | null, language: Language) {
  const { workspace, workbench, consoles } = useWorkspace();
  const { open } = useConsoleActions();
  const [isSaving, setSaving] = useState(false);
  const save = async ({ question, name, chart }: Saved) => {
    setSaving(true);
    try {
      // The shown statement may be of an earlier step.
      const { sql: content } = await api.explainQuestion(workspace.id, connectionId, question);
      const stem = toConsoleName(name) ?? question.table.name;
      const freeName = toFreeName(workbench.read() ?? { consoles: [] }, stem, ENDINGS[language], consoles.takenNames());
      const change = { content, question, chart };
      const done = saved
        ? await consoles.saveQuestion(saved, change)
        : await consoles.tryCreate({ ...change, connectionId, name: freeName });
      if (done === null) return;
      showToast("Question saved");
      open(done.id);
    } catch (error) {
      showFailure(`Couldn't save the question. ${toMessage(error)}`);
    } finally {
      setSaving(false);
    }
  };
  return { isSaving, save };
}
