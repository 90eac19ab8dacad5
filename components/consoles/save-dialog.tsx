"use client";

import { FormModal } from "@/components/ui/form-modal";
import { TextAreaField } from "@/components/ui/text-area-field";
import { useServerForm } from "@/components/ui/use-server-form";

type SaveDialogProps = {
  name: string;
  /** @throws ApiError */
  onSave: (message: string | undefined) => Promise<void>;
  onClose: () => void;
};

/** Dialog for the commit message. */
export function SaveDialog({ name, onSave, onClose }: SaveDialogProps) {
  const title = `Save ${name}`;
  const server = useServerForm<{ message: string }>({
    initial: { message: "" },
    fields: ["message"],
    send: ({ message }) => onSave(message.trim() === "" ? undefined : message.trim()),
    whenClosed: "Couldn't save.",
  });
  return (
    <FormModal title={title} server={server} action="Save version" busy="Saving" keys="mod+enter" onClose={onClose}>
      <TextAreaField
        label="Commit message"
        maxLength={5000}
        placeholder={title}
        help="The first line is the version's title. Optional."
        autoFocus
        onSend={() => void server.submit()}
        {...server.text("message")}
      />
    </FormModal>
  );
}
