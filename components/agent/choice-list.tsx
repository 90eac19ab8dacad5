"use client";

import { ArrowRight } from "lucide-react";
import type { ChoiceButton } from "@/lib/features/agent/browser/choices";

/** The choices of a question back; each one sends the refined question. */
export function ChoiceList({
  choices,
  onAsk,
}: {
  choices: readonly ChoiceButton[];
  onAsk: (question: string) => void;
}) {
  return (
    <ul className="asks" aria-label="Choices">
      {choices.map(({ label, question }) => (
        <li key={question}>
          <button type="button" onClick={() => onAsk(question)}>
            <span className="grow">{label}</span>
            <ArrowRight className="s" />
          </button>
        </li>
      ))}
    </ul>
  );
}
