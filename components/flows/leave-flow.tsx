"use client";

import { LeaveQuestion } from "@/components/ui/leave-question";

type LeaveFlowProps = {
  /** Whether there are unsaved changes. */
  isOn: boolean;
  /** Discards the draft, which is otherwise kept in this tab; null if the changes will be lost. */
  onDiscard: (() => void) | null;
};

/** Asks for confirmation before leaving a flow's form with unsaved changes. */
export function LeaveFlow({ isOn, onDiscard }: LeaveFlowProps) {
  return (
    <LeaveQuestion
      title={onDiscard ? "Leave the new flow?" : "Leave without saving?"}
      isOn={isOn}
      onDiscard={onDiscard}
    >
      {onDiscard
        ? "It is not saved yet. Kept, it stands under New flow again as long as this tab is open."
        : "What you have changed here is not saved, and is lost when you leave."}
    </LeaveQuestion>
  );
}
