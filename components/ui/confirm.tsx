"use client";

import { type ReactNode, useState } from "react";
import { FormFailure } from "@/components/ui/form-parts";
import { Modal } from "@/components/ui/modal";

type ConfirmProps = {
  title: string;
  /** Label of the button: verb and noun. */
  action: string;
  isOpen: boolean;
  isBusy: boolean;
  isDanger?: boolean;
  /** Text that the user must type to confirm an action that cannot be undone. */
  typedName?: string;
  failure: string | null;
  onConfirm: () => void;
  onClose: () => void;
  children: ReactNode;
};

/** Asks for confirmation: it names the object and the effect. */
export function Confirm(props: ConfirmProps) {
  const { title, action, isOpen, isBusy, isDanger = true, typedName, failure, onConfirm, onClose, children } = props;
  const [typed, setTyped] = useState("");
  const isNamed = typedName === undefined || typed.trim() === typedName;
  const close = () => {
    // The request is running and can no longer be cancelled.
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
            // The second click of a double click may come before the button is disabled.
            onClick={(event) => event.detail < 2 && onConfirm()}
          >
            {action}
          </button>
        </>
      }
    >
      <div className="confirm">
        <FormFailure text={failure} />
        <div className="confirm-text">{children}</div>
        {typedName !== undefined && (
          <TypedName
            name={typedName}
            typed={typed}
            onChange={setTyped}
            onEnter={() => isNamed && !isBusy && onConfirm()}
          />
        )}
      </div>
    </Modal>
  );
}

type TypedNameProps = { name: string; typed: string; onChange: (typed: string) => void; onEnter: () => void };

/** Asks to type the name of what is lost for good. */
export function TypedName({ name, typed, onChange, onEnter }: TypedNameProps) {
  return (
    <div className="field">
      <label htmlFor="confirm-name">
        Type <b>{name}</b> to confirm
      </label>
      <div className="input">
        <input
          id="confirm-name"
          value={typed}
          autoComplete="off"
          spellCheck={false}
          onChange={(event) => onChange(event.target.value)}
          onKeyDown={(event) => event.key === "Enter" && onEnter()}
        />
      </div>
    </div>
  );
}
