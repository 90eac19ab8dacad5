"use client";

import { useId, useState } from "react";
import { useConsoleActions } from "@/components/consoles/use-console-actions";
import { FormModal } from "@/components/ui/form-modal";
import { TextAreaField } from "@/components/ui/text-area-field";
import { TextField } from "@/components/ui/text-field";
import { useServerForm } from "@/components/ui/use-server-form";
import type { Console } from "@/lib/features/consoles/schema";

type Fields = { description: string; minRows: string; maxRows: string };

/** Dialog for a console's description, and for the number of rows that its background runs must return. */
export function DetailsDialog({ saved, onClose }: { saved: Console; onClose: () => void }) {
  const id = useId();
  const { changeDetails } = useConsoleActions();
  const [initial] = useState<Fields>({
    description: saved.description,
    minRows: String(saved.expect?.minRows ?? ""),
    maxRows: String(saved.expect?.maxRows ?? ""),
  });
  const server = useServerForm<Fields>({
    initial,
    fields: ["description", "minRows", "maxRows"],
    fieldOf: (path) =>
      path === "description"
        ? "description"
        : path === "expect.minRows"
          ? "minRows"
          : path.startsWith("expect")
            ? "maxRows"
            : null,
    send: async (fields) => {
      const isChanged = (name: keyof Fields) => fields[name].trim() !== initial[name];
      // Someone else may have changed the other fields in the meantime.
      await changeDetails(saved.id, {
        ...(isChanged("description") && { description: fields.description.trim() }),
        ...((isChanged("minRows") || isChanged("maxRows")) && { expect: toExpectation(fields) }),
      });
      onClose();
    },
    whenClosed: "Couldn't save the details.",
  });
  const { isDirty, submit, text } = server;
  return (
    <FormModal
      title={`Details of ${saved.name}`}
      server={server}
      action="Save details"
      busy="Saving"
      keys="mod+enter"
      isDisabled={!isDirty}
      onClose={onClose}
    >
      <TextAreaField label="Description" onSend={() => isDirty && void submit()} {...text("description")} />
      <fieldset className="field" aria-describedby={`${id}-expect`}>
        <legend className="flabel">Expected rows</legend>
        <div className="detail-rows">
          <TextField label="Minimum" isDense inputMode="numeric" autoComplete="off" {...text("minRows")} />
          <TextField label="Maximum" isDense inputMode="numeric" autoComplete="off" {...text("maxRows")} />
        </div>
        <div id={`${id}-expect`} className="help">
          Background runs with another number of rows fail.
        </div>
      </fieldset>
    </FormModal>
  );
}

/** Returns the conditions as typed; the server validates the numbers. Null without any. */
function toExpectation({ minRows, maxRows }: Fields): Console["expect"] {
  const typed = Object.entries({ minRows, maxRows }).filter(([, value]) => value.trim() !== "");
  return typed.length === 0 ? null : Object.fromEntries(typed.map(([name, value]) => [name, Number(value)]));
}
