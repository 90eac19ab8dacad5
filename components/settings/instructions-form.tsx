"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useEffectEvent } from "react";
import { useWorkspace } from "@/components/layout/workspace-context";
import { useMemberNames, useRights } from "@/components/settings/use-settings";
import { FieldProblem, FormFailure } from "@/components/ui/form-parts";
import { LeaveQuestion } from "@/components/ui/leave-question";
import { announce } from "@/components/ui/live-region";
import { Notice } from "@/components/ui/notice";
import { useServerForm } from "@/components/ui/use-server-form";
import { agentApi } from "@/lib/features/agent/browser/client";
import { INSTRUCTIONS_CHARS_MAX } from "@/lib/features/agent/limits";
import type { Instructions } from "@/lib/features/agent/schema";
import { formatDayAndMonth } from "@/lib/platform/browser/format-time";

/** The workspace's instructions: a form for admins, their text for others. */
export function WorkspaceInstructions({ saved }: { saved: Instructions }) {
  const { isAdmin } = useRights();
  const names = useMemberNames();
  const author = saved.updatedBy === null ? null : (names.get(saved.updatedBy) ?? null);
  const last =
    saved.updatedAt === null ? "" : `Last saved ${toDay(saved.updatedAt)}${author === null ? "" : ` by ${author}`}`;
  if (isAdmin) return <InstructionsForm saved={saved} author={author} last={last} />;
  return (
    <>
      <Notice kind="locked">Only owners and admins can edit the instructions.</Notice>
      <p className="instructions-text">{saved.text || "No instructions yet."}</p>
      <p className="xs t3">{last}</p>
    </>
  );
}

type InstructionsFormProps = {
  saved: Instructions;
  /** Name of the last author; null if unknown. */
  author: string | null;
  /** Date and author of the last save; empty before the first one. */
  last: string;
};

function InstructionsForm({ saved, author, last }: InstructionsFormProps) {
  const { workspace } = useWorkspace();
  const queryClient = useQueryClient();
  const { form, formProps, failure, isBusy, isDirty, problemOf } = useServerForm<{ text: string }>({
    initial: { text: saved.text },
    fields: ["text"],
    send: async ({ text }, { getValues, reset, setValue }) => {
      const next = await agentApi.writeInstructions(workspace.id, text);
      const typed = getValues("text");
      reset({ text: next.text });
      // Text typed in the meantime stays, unsaved.
      if (typed !== text) setValue("text", typed, { shouldDirty: true });
      queryClient.setQueryData(["agent-instructions", workspace.id], next);
      announce("Instructions saved");
    },
  });
  const { reset } = form;
  /** Text that editing started from. */
  const base = form.formState.defaultValues?.text;
  const follow = useEffectEvent((latest: string) => {
    if (!isDirty) reset({ text: latest });
  });
  useEffect(() => follow(saved.text), [saved.text]);
  const text = form.watch("text");
  const problem = problemOf("text");
  const discard = () => reset({ text: saved.text });
  return (
    <form {...formProps} aria-label="Instructions">
      <FormFailure text={failure} />
      {isDirty && !isBusy && saved.text !== base && (
        <Notice
          kind="warn"
          action={
            <button type="button" className="btn sm" onClick={discard}>
              Load their version
            </button>
          }
        >
          {author ?? "Someone"} saved a newer version. Saving overwrites it.
        </Notice>
      )}
      <div className="field">
        <textarea
          {...form.register("text")}
          className="instructions"
          aria-label="Workspace instructions"
          aria-invalid={problem === undefined ? undefined : true}
          aria-describedby="instructions-problem instructions-count"
          rows={8}
          maxLength={INSTRUCTIONS_CHARS_MAX}
          placeholder="Weeks start on Monday. Revenue excludes test orders. Never show email addresses."
        />
        <FieldProblem id="instructions-problem" text={problem} />
      </div>
      <div className="row instructions-foot">
        <span className="xs t3 grow" id="instructions-count">
          {text.length.toLocaleString("en")} of {INSTRUCTIONS_CHARS_MAX.toLocaleString("en")} characters
          {last && `. ${last}`}
        </span>
        {isDirty && (
          <button type="button" className="btn ghost" disabled={isBusy} onClick={discard}>
            Discard
          </button>
        )}
        <button type="submit" className="btn primary" disabled={!isDirty || isBusy}>
          {isBusy ? "Saving" : "Save instructions"}
        </button>
      </div>
      <LeaveQuestion title="Leave without saving?" isOn={isDirty} onDiscard={null}>
        Your changes to the instructions are not saved.
      </LeaveQuestion>
    </form>
  );
}

function toDay(text: string): string {
  return formatDayAndMonth(new Date(text));
}
