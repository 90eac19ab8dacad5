"use client";

import { type ReactNode, useId } from "react";
import { FormFailure } from "@/components/ui/form-parts";
import { Keys } from "@/components/ui/keys";
import { Modal } from "@/components/ui/modal";
import type { useServerForm } from "@/components/ui/use-server-form";

type FormModalProps = {
  title: string;
  server: Pick<ReturnType<typeof useServerForm>, "formProps" | "failure" | "isBusy">;
  /** Label of the button that sends the form. */
  action: string;
  /** The same while it is being sent; default: `action`. */
  busy?: string;
  /** Keys that send the form, shown in the button. */
  keys?: string;
  isDisabled?: boolean;
  cancel?: string;
  onClose: () => void;
  /** Class of the form. */
  className?: string;
  buttonClass?: string;
  children: ReactNode;
};

/** A dialog with one form, the failure of its request, and the buttons to cancel and to send it. */
export function FormModal({
  title,
  server: { formProps, failure, isBusy },
  action,
  busy = action,
  keys,
  isDisabled = false,
  cancel = "Cancel",
  onClose,
  className = "form",
  buttonClass = "btn primary",
  children,
}: FormModalProps) {
  const id = useId();
  return (
    <Modal
      title={title}
      isOpen
      onClose={onClose}
      foot={
        <>
          <button type="button" className="btn ghost" onClick={onClose}>
            {cancel}
          </button>
          <button type="submit" form={id} className={buttonClass} disabled={isBusy || isDisabled}>
            {isBusy ? busy : action}
            {keys && <Keys keys={keys} />}
          </button>
        </>
      }
    >
      <form {...formProps} id={id} className={className}>
        <FormFailure text={failure} />
        {children}
      </form>
    </Modal>
  );
}
