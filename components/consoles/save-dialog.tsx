"use client";

import { useState } from "react";
import { Keys } from "@/components/ui/keys";
import { Modal } from "@/components/ui/modal";

type SaveDialogProps = { name: string; onSave: (message: string | undefined) => void; onClose: () => void };

/** Dialog for the commit message. */
export function SaveDialog({ name, onSave, onClose }: SaveDialogProps) {
  const [message, setMessage] = useState("");
  const save = () => onSave(message.trim() === "" ? undefined : message.trim());
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
          <button type="button" className="btn primary" onClick={save}>
            Save version
            <Keys keys="mod+enter" />
          </button>
        </>
      }
    >
      <div className="field">
        <label htmlFor="save-message">Commit message</label>
        <textarea
          id="save-message"
          className="area"
          rows={3}
          maxLength={5000}
          value={message}
          placeholder={`Save ${name}`}
          // biome-ignore lint/a11y/noAutofocus: the dialog was opened to write here
          autoFocus
          onChange={(event) => setMessage(event.target.value)}
          onKeyDown={(event) => {
            if (event.key !== "Enter" || !(event.metaKey || event.ctrlKey)) return;
            event.preventDefault();
            save();
          }}
        />
        <span className="help">The first line is the version's title. Optional.</span>
      </div>
    </Modal>
  );
}
