"use client";

import { ThumbsDown, ThumbsUp } from "lucide-react";
import { useId, useState } from "react";
import { useWorkspace } from "@/components/layout/workspace-context";
import { FieldProblem } from "@/components/ui/form-parts";
import { Tip } from "@/components/ui/tip";
import { toMessage } from "@/components/ui/to-message";
import { showFailure } from "@/components/ui/toast";
import { useServerForm } from "@/components/ui/use-server-form";
import { useSingleFlight } from "@/components/ui/use-single-flight";
import { agentApi } from "@/lib/features/agent/browser/client";
import { FEEDBACK_CHARS_MAX } from "@/lib/features/agent/limits";
import type { Feedback as Given } from "@/lib/features/agent/schema";

type FeedbackProps = { chatId: string; messageId: string; given: Given | null };

/** Feedback on an answer: a thumb and a comment. A second click removes it. */
export function Feedback({ chatId, messageId, given }: FeedbackProps) {
  const { workspace } = useWorkspace();
  const [feedback, setFeedback] = useState(given);
  const [isAsking, setIsAsking] = useState(false);
  const put = (next: Given | null) => agentApi.putFeedback(workspace.id, chatId, messageId, next);
  const [press] = useSingleFlight(async (value: Given["value"]) => {
    const before = feedback;
    const next = feedback?.value === value ? null : { value, text: null };
    setIsAsking(next !== null);
    setFeedback(next);
    try {
      await put(next);
    } catch (error) {
      setFeedback(before);
      setIsAsking(false);
      showFailure(toMessage(error));
    }
  });
  const thumb = (value: Given["value"], label: string, Icon: typeof ThumbsUp) => (
    <Tip label={label}>
      <button
        type="button"
        className={feedback?.value === value ? "btn icon sm on" : "btn ghost icon sm"}
        aria-label={label}
        aria-pressed={feedback?.value === value}
        onClick={() => void press(value)}
      >
        <Icon className="s" />
      </button>
    </Tip>
  );
  return (
    <>
      {thumb("up", "Helpful", ThumbsUp)}
      {thumb("down", "Not helpful", ThumbsDown)}
      {isAsking && feedback !== null && (
        <CommentForm
          key={feedback.value}
          value={feedback.value}
          onSend={async (text) => {
            const next = { ...feedback, text };
            await put(next);
            setFeedback(next);
          }}
          onClose={() => setIsAsking(false)}
        />
      )}
    </>
  );
}

type CommentFormProps = { value: Given["value"]; onSend: (text: string) => Promise<void>; onClose: () => void };

/** Comment on a thumb. An empty one is not sent. */
function CommentForm({ value, onSend, onClose }: CommentFormProps) {
  const id = useId();
  const { form, formProps, failure, isBusy, problemOf } = useServerForm<{ text: string }>({
    initial: { text: "" },
    fields: ["text"],
    send: async ({ text }) => {
      if (text.trim() !== "") await onSend(text.trim());
      onClose();
    },
  });
  // There is no place above one field in a line of buttons.
  const problem = problemOf("text") ?? failure;
  return (
    <form {...formProps} className="row word" aria-label="Feedback">
      <span className={problem ? "input xs grow err" : "input xs grow"}>
        <input
          {...form.register("text")}
          aria-label="Feedback"
          aria-invalid={problem ? true : undefined}
          aria-describedby={`${id}-problem`}
          placeholder={value === "up" ? "What helped?" : "What went wrong?"}
          maxLength={FEEDBACK_CHARS_MAX}
        />
      </span>
      <button type="submit" className="btn sm" disabled={isBusy}>
        {isBusy ? "Sending" : "Send"}
      </button>
      <div className="field word-problem">
        <FieldProblem id={`${id}-problem`} text={problem} />
      </div>
    </form>
  );
}
