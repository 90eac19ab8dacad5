"use client";

import { ThumbsDown, ThumbsUp } from "lucide-react";
import { type FormEvent, useState } from "react";
import { useWorkspace } from "@/components/layout/workspace-context";
import { Tip } from "@/components/ui/tip";
import { toMessage } from "@/components/ui/to-message";
import { showFailure } from "@/components/ui/toast";
import { agentApi, type Feedback as Given } from "@/lib/features/agent/browser/client";

const WORD_CHARS_MAX = 2000;

type FeedbackProps = { chatId: string; messageId: string; given: Given | null };

/** Feedback on an answer: a thumb and a comment. A second click removes it. */
export function Feedback({ chatId, messageId, given }: FeedbackProps) {
  const { workspace } = useWorkspace();
  const [feedback, setFeedback] = useState(given);
  const [word, setWord] = useState<string | null>(null);
  const put = async (next: Given | null) => {
    const before = feedback;
    setFeedback(next);
    try {
      await agentApi.putFeedback(workspace.id, chatId, messageId, next);
    } catch (error) {
      setFeedback(before);
      showFailure(toMessage(error));
    }
  };
  const press = (value: Given["value"]) => {
    const next = feedback?.value === value ? null : { value, text: null };
    setWord(next === null ? null : "");
    void put(next);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (feedback && word?.trim()) void put({ ...feedback, text: word.trim() });
    setWord(null);
  };
  const thumb = (value: Given["value"], label: string, Icon: typeof ThumbsUp) => (
    <Tip label={label}>
      <button
        type="button"
        className={feedback?.value === value ? "btn icon sm on" : "btn ghost icon sm"}
        aria-label={label}
        aria-pressed={feedback?.value === value}
        onClick={() => press(value)}
      >
        <Icon className="s" />
      </button>
    </Tip>
  );
  return (
    <>
      {thumb("up", "Helpful", ThumbsUp)}
      {thumb("down", "Not helpful", ThumbsDown)}
      {word !== null && (
        <form className="row word" onSubmit={submit}>
          <span className="input xs grow">
            <input
              aria-label="Feedback"
              placeholder={feedback?.value === "up" ? "What helped?" : "What went wrong?"}
              value={word}
              maxLength={WORD_CHARS_MAX}
              onChange={({ target }) => setWord(target.value)}
            />
          </span>
          <button type="submit" className="btn sm">
            Send
          </button>
        </form>
      )}
    </>
  );
}
