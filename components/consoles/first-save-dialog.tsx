"use client";

import { useId, useState } from "react";
import { useConsoleSource } from "@/components/consoles/use-consoles";
import { useFolderPages } from "@/components/folders/use-folder-pages";
import { FormModal } from "@/components/ui/form-modal";
import { Select } from "@/components/ui/select";
import { TextField } from "@/components/ui/text-field";
import { useServerForm } from "@/components/ui/use-server-form";
import { CONSOLE_NAME_MAX, toConsoleName } from "@/lib/features/consoles/browser/workbench";
import {
  type FolderChoice,
  isSameChoice,
  listFolderChoices,
  toRoots,
  toTop,
} from "@/lib/features/folders/browser/item-tree";
import type { Folder } from "@/lib/features/folders/schema";
import { ApiError } from "@/lib/platform/browser/request";

type FirstSaveProps = {
  name: string;
  /** @throws ApiError */
  onSave: (name: string, place: FolderChoice, message: string | undefined) => Promise<void>;
  onClose: () => void;
};

type Fields = { name: string; place: FolderChoice; message: string };

const MINE: FolderChoice = { folderId: null, access: "private" };
const TOPS = toRoots().map(toTop);
const TAKEN = "This folder already has a console with this name.";

/** Dialog for the name and the location of a console that was never saved. */
export function FirstSaveDialog({ name, onSave, onClose }: FirstSaveProps) {
  const [chosen, setChosen] = useState(MINE);
  const pages = useFolderPages(useConsoleSource(), { tops: TOPS, isExpanded: () => false, revealed: chosen });
  // Only loaded names are compared: the server has the last word.
  const isTaken = (wanted: string, place: FolderChoice) =>
    pages.items.some((each) => isSameChoice(each, place) && each.name.toLowerCase() === wanted.toLowerCase());
  const findNameProblem = (typed: string, place: FolderChoice) => {
    const wanted = toConsoleName(typed);
    return wanted === null ? "Enter a name." : isTaken(wanted, place) ? TAKEN : undefined;
  };
  const server = useServerForm<Fields>({
    initial: { name, place: MINE, message: "" },
    fields: ["name", "place", "message"],
    fieldOf: (path) => (path === "name" || path === "message" ? path : path === "folderId" ? "place" : null),
    check: (fields) => ({ name: findNameProblem(fields.name, fields.place) }),
    send: ({ name, place, message }) =>
      onSave(toConsoleName(name) ?? name, place, message.trim() === "" ? undefined : message.trim()),
    whenClosed: "Couldn't save.",
    onFailure: (error, form) => {
      // Someone else took the name after the list was loaded.
      const isConflict = error instanceof ApiError && error.code === "conflict";
      if (isConflict) form.setError("name", { message: error.message });
      return isConflict;
    },
  });
  const { form, text, problemOf } = server;
  const typed = form.watch("name");
  const wanted = toConsoleName(typed);
  // A taken name is reported at once, since the suggested one may be taken.
  const taken = wanted !== null && isTaken(wanted, form.watch("place")) ? TAKEN : undefined;
  return (
    <FormModal title="Save console" server={server} action="Save console" busy="Saving" keys="enter" onClose={onClose}>
      <TextField
        label="Name"
        isDense
        maxLength={CONSOLE_NAME_MAX}
        autoComplete="off"
        spellCheck={false}
        autoFocus
        // The focus selects the name, which the form sets only later.
        defaultValue={name}
        onFocus={(event) => event.target.select()}
        {...text("name")}
        error={problemOf("name") ?? taken}
      />
      <FolderField server={server} folders={pages.folders} onChoose={setChosen} />
      <TextField
        label="Commit message (optional)"
        isDense
        maxLength={5000}
        placeholder={`Create ${wanted ?? name}`}
        autoComplete="off"
        {...text("message")}
      />
    </FormModal>
  );
}

type FolderFieldProps = {
  server: ReturnType<typeof useServerForm<Fields>>;
  folders: readonly Folder[];
  /** Called with the chosen folder, whose subfolders are offered next. */
  onChoose: (place: FolderChoice) => void;
};

function FolderField({ server: { form, control, problemOf }, folders, onChoose }: FolderFieldProps) {
  const id = useId();
  const choices = listFolderChoices(folders);
  const place = control("place");
  const problem = problemOf("place");
  return (
    <div className="field">
      <span id={id} className="flabel">
        Folder
      </span>
      <Select
        labelId={id}
        describedBy={`${id}-help`}
        isInvalid={problem !== undefined}
        value={choices.find((each) => isSameChoice(each.place, place.value))?.id ?? ""}
        onChange={(chosen) => {
          const to = choices.find((each) => each.id === chosen)?.place ?? MINE;
          place.onChange(to);
          onChoose(to);
          form.clearErrors("name");
        }}
        options={choices.map((each) => ({
          value: each.id,
          label: `${"\u2003".repeat(each.level)}${each.label}`,
        }))}
      />
      <span id={`${id}-help`} className={problem === undefined ? "help" : "help bad"}>
        {problem ??
          (place.value.access === "workspace" ? "Visible to everyone in the workspace." : "Visible only to you.")}
      </span>
    </div>
  );
}
