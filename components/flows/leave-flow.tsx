"use client";

import { useRouter } from "next/navigation";
import { Modal } from "@/components/ui/modal";
import { useLeaveGuard } from "@/components/ui/use-leave-guard";

type LeaveFlowProps = {
  /** Something was typed that is not saved. */
  isOn: boolean;
  /** The form is kept in this tab, unless it is discarded; null for one that is lost. */
  onDiscard: (() => void) | null;
};

/** Asks before somebody leaves a flow's form that was begun and not saved. */
export function LeaveFlow({ isOn, onDiscard }: LeaveFlowProps) {
  const router = useRouter();
  const { pressed, stay } = useLeaveGuard(isOn);
  const leave = () => {
    if (pressed === null) return;
    stay();
    const target = new URL(pressed);
    if (target.origin === window.location.origin) router.push(`${target.pathname}${target.search}${target.hash}`);
    else window.location.assign(pressed);
  };
  return (
    <Modal
      title={onDiscard ? "Leave the new flow?" : "Leave without saving?"}
      isOpen={pressed !== null}
      onClose={stay}
      foot={
        <>
          <button type="button" className="btn ghost" onClick={stay}>
            Stay
          </button>
          <button
            type="button"
            className={onDiscard ? "btn danger" : "btn danger-solid"}
            onClick={() => {
              onDiscard?.();
              leave();
            }}
          >
            Discard and leave
          </button>
          {onDiscard && (
            <button type="button" className="btn primary" onClick={leave}>
              Keep and leave
            </button>
          )}
        </>
      }
    >
      <div className="confirm-text">
        <p>
          {onDiscard
            ? "It is not saved yet. Kept, it stands under New flow again as long as this tab is open."
            : "What you have changed here is not saved, and is lost when you leave."}
        </p>
      </div>
    </Modal>
  );
}
