"use client";

import { useId } from "react";
import { FieldMessage, FormFailure, messageIdOf } from "@/components/ui/form-parts";
import { Keys } from "@/components/ui/keys";
import { Modal } from "@/components/ui/modal";
import { useServerForm } from "@/components/ui/use-server-form";

const HELP = "The first line is the version's title. Optional.";

type SaveDialogProps = {
  name: string;
  /** @throws ApiError */
  onSave: (message: string | undefined) => Promise<void>;
  onClose: () => void;
};

/** Dialog for the commit message. */
export function SaveDialog({ name, onSave, onClose }: SaveDialogProps) {
  const id = useId();
  const { form, formProps, failure, isBusy, submit, problemOf } = useServerForm<{ message: string }>({
    initial: { message: "" },
    fields: ["message"],
    send: ({ message }) => onSave(message.trim() === "" ? undefined : message.trim()),
    whenClosed: "Couldn't save.",
  });
  const problem = problemOf("message");
  return (
    <Modal
      title={`Save ${name}`}
      isOpen
      onClose={onClose}
      foot={
        <>
          <button type="button" className="btn ghost" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" form={id} className="btn primary" disabled={isBusy}>
            {isBusy ? "Saving" : "Save version"}
            <Keys keys="mod+enter" />
          </button>
        </>
      }
    >
      <form {...formProps} id={id} className="form">
        <FormFailure text={failure} />
        <div className="field">
          <label htmlFor={`${id}-message`}>Commit message</label>
          <textarea
            {...form.register("message")}
            id={`${id}-message`}
            className="area"
            rows={3}
            maxLength={5000}
            placeholder={`Save ${name}`}
            aria-invalid={problem === undefined ? undefined : true}
            aria-describedby={messageIdOf(id, problem, HELP)}
            // biome-ignore lint/a11y/noAutofocus: the dialog was opened to write here
            autoFocus
            onKeyDown={(event) => {
              if (event.key !== "Enter" || !(event.metaKey || event.ctrlKey)) return;
              event.preventDefault();
              void submit();
            }}
          />
          <FieldMessage id={id} problem={problem} help={HELP} />
        </div>
      </form>
    </Modal>
  );
}
