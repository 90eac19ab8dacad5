"use client";

import { useId, useState } from "react";
import { useConsoleFolders, useConsoleList } from "@/components/consoles/use-consoles";
import { Keys } from "@/components/ui/keys";
import { Modal } from "@/components/ui/modal";
import { Select } from "@/components/ui/select";
import { TextField } from "@/components/ui/text-field";
import { CONSOLE_NAME_MAX, toConsoleName } from "@/lib/features/consoles/browser/workbench";
import { type FolderChoice, isSameChoice, listFolderChoices } from "@/lib/features/folders/browser/item-tree";

type FirstSaveProps = {
  name: string;
  onSave: (name: string, place: FolderChoice, message: string | undefined) => void;
  onClose: () => void;
};

const MINE: FolderChoice = { folderId: null, access: "private" };

/** Dialog for the name and the location of a console that was never saved. */
export function FirstSaveDialog({ name, onSave, onClose }: FirstSaveProps) {
  const labelId = useId();
  const { data: folders } = useConsoleFolders();
  const { data: consoles } = useConsoleList();
  const places = listFolderChoices(folders ?? []);
  const [typed, setTyped] = useState(name);
  const [message, setMessage] = useState("");
  const [placeId, setPlaceId] = useState<string | null>(null);
  const chosen = places.find(({ id }) => id === placeId) ?? places.find(({ place }) => isSameChoice(place, MINE));
  const place = chosen?.place ?? MINE;
  const wanted = toConsoleName(typed);
  const isTaken =
    consoles?.some((each) => isSameChoice(each, place) && each.name.toLowerCase() === wanted?.toLowerCase()) ?? false;
  const problem =
    wanted === null ? "Enter a name." : isTaken ? "This folder already has a console with this name." : null;
  const [isTold, setIsTold] = useState(false);
  const save = () => {
    if (problem !== null || wanted === null) setIsTold(true);
    else onSave(wanted, place, message.trim() === "" ? undefined : message.trim());
  };
  return (
    <Modal
      title="Save console"
      isOpen
      onClose={onClose}
      foot={
        <>
          <button type="button" className="btn ghost" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" form="first-save" className="btn primary">
            Save console
            <Keys keys="enter" />
          </button>
        </>
      }
    >
      <form
        id="first-save"
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          save();
        }}
      >
        <TextField
          label="Name"
          isDense
          value={typed}
          maxLength={CONSOLE_NAME_MAX}
          error={isTold || isTaken ? problem : null}
          autoComplete="off"
          spellCheck={false}
          autoFocus
          onFocus={(event) => event.target.select()}
          onChange={(event) => setTyped(event.target.value)}
        />
        <div className="field">
          <span id={labelId} className="flabel">
            Folder
          </span>
          <Select
            labelId={labelId}
            value={chosen?.id ?? ""}
            onChange={setPlaceId}
            options={places.map(({ id, label, level }) => ({ value: id, label: `${"\u2003".repeat(level)}${label}` }))}
          />
          <span className="help">
            {place.access === "workspace" ? "Visible to everyone in the workspace." : "Visible only to you."}
          </span>
        </div>
        <TextField
          label="Commit message (optional)"
          isDense
          value={message}
          maxLength={5000}
          placeholder={`Create ${wanted ?? name}`}
          autoComplete="off"
          onChange={(event) => setMessage(event.target.value)}
        />
      </form>
    </Modal>
  );
}
