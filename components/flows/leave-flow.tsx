"use client";

import { LeaveQuestion } from "@/components/ui/leave-question";

type LeaveFlowProps = {
  /** Something was typed that is not saved. */
  isOn: boolean;
  /** The form is kept in this tab, unless it is discarded; null for one that is lost. */
  onDiscard: (() => void) | null;
};

/** Asks before somebody leaves a flow's form that was begun and not saved. */
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
