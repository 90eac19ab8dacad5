"use client";

import { useRouter } from "next/navigation";
import type { ReactNode } from "react";
import { Modal } from "@/components/ui/modal";
import { useLeaveGuard } from "@/components/ui/use-leave-guard";

type LeaveQuestionProps = {
  title: string;
  /** Whether there are unsaved changes. */
  isOn: boolean;
  /** Discards the changes, which are kept otherwise; null if leaving loses them. */
  onDiscard: (() => void) | null;
  /** Says what happens to the changes. */
  children: ReactNode;
};

/** Asks before the user leaves unsaved changes. */
export function LeaveQuestion({ title, isOn, onDiscard, children }: LeaveQuestionProps) {
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
      title={title}
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
            Discard
          </button>
          {onDiscard && (
            <button type="button" className="btn primary" onClick={leave}>
              Keep draft
            </button>
          )}
        </>
      }
    >
      <div className="confirm-text">
        <p>{children}</p>
      </div>
    </Modal>
  );
}
