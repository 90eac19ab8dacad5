"use client";

import { type ReactNode, useState } from "react";
import { Modal } from "@/components/ui/modal";
import { Notice } from "@/components/ui/notice";

type ConfirmProps = {
  title: string;
  /** The button: verb and noun, as the page names it. */
  action: string;
  isOpen: boolean;
  isBusy: boolean;
  isDanger?: boolean;
  /** Asked for when the action cannot be undone: has to be typed exactly. */
  typedName?: string;
  failure: string | null;
  onConfirm: () => void;
  onClose: () => void;
  children: ReactNode;
};

/** Asks before something is done: it names the thing and the effect. */
export function Confirm(props: ConfirmProps) {
  const { title, action, isOpen, isBusy, isDanger = true, typedName, failure, onConfirm, onClose, children } = props;
  const [typed, setTyped] = useState("");
  const isNamed = typedName === undefined || typed.trim() === typedName;
  const close = () => {
    // It is done, or refused, whatever is pressed: to be called off it is too late.
    if (isBusy) return;
    setTyped("");
    onClose();
  };
  return (
    <Modal
      title={title}
      isOpen={isOpen}
      onClose={close}
      foot={
        <>
          <button type="button" className="btn ghost" disabled={isBusy} onClick={close}>
            Cancel
          </button>
          <button
            type="button"
            className={isDanger ? "btn danger-solid" : "btn primary"}
            disabled={!isNamed || isBusy}
            onClick={onConfirm}
          >
            {action}
          </button>
        </>
      }
    >
      <div className="confirm">
        {failure && (
          <Notice kind="bad" role="alert">
            {failure}
          </Notice>
        )}
        <div className="confirm-text">{children}</div>
        {typedName !== undefined && (
          <div className="field">
            <label htmlFor="confirm-name">
              Type <b>{typedName}</b> to confirm
            </label>
            <div className="input">
              <input
                id="confirm-name"
                value={typed}
                autoComplete="off"
                spellCheck={false}
                onChange={(event) => setTyped(event.target.value)}
                onKeyDown={(event) => event.key === "Enter" && isNamed && !isBusy && onConfirm()}
              />
            </div>
          </div>
        )}
      </div>
    </Modal>
  );
}
