"use client";

import { File, FilePlus2, Folder, FolderPlus, Pencil, Trash2, Undo2, Upload } from "lucide-react";
import { useRef } from "react";
import { type FileMark, FileTreeRow } from "@/components/apps/workbench/file-tree-row";
import { type Naming, useFileTree } from "@/components/apps/workbench/use-file-tree";
import type { Places } from "@/components/apps/workbench/use-places";
import type { Work } from "@/components/apps/workbench/use-work";
import { ExplorerBars, ExplorerFailure, ExplorerSection } from "@/components/layout/explorer-section";
import { Confirm } from "@/components/ui/confirm";
import { MenuItem, MenuLine } from "@/components/ui/menu";
import { NameInput } from "@/components/ui/name-input";
import { Tree, type TreeRow } from "@/components/ui/tree";
import { folderOf, nameOf } from "@/lib/features/apps/browser/app-files";
import { formatCountOf } from "@/lib/platform/browser/format";

const BAR_WIDTHS = [42, 60, 54, 36];
/** Key of the row in which a new name is typed. */
const NEW = "\u0000new";

type FileTreeProps = { work: Work; places: Places; isReadOnly: boolean; marks: ReadonlyMap<string, FileMark> };

/** Tree of an app's files. @param marks labels by path: the state of a binding, or a compile error */
export function FileTree({ work, places, isReadOnly, marks }: FileTreeProps) {
  const { files, tree } = work;
  const state = useFileTree(work, places);
  const { naming, begin } = state;
  const uploadRef = useRef<HTMLInputElement>(null);
  const uploadTo = useRef("");
  const pickUpload = (folder: string) => {
    uploadTo.current = folder;
    uploadRef.current?.click();
  };
  const toMenu = (path: string) => {
    if (path === NEW || isReadOnly) return null;
    const isDraft = (files.find((each) => each.path === path)?.draft ?? null) !== null;
    const items = (
      <FileMenu
        path={path}
        folder={state.isFolder(path) ? path : folderOf(path)}
        onName={begin}
        onUpload={pickUpload}
        onShowChange={isDraft ? () => places.showCentre("changes") : null}
        onRemove={state.setRemoving}
      />
    );
    return { about: path, items };
  };
  const acts = [
    { label: "New file", icon: <FilePlus2 className="s" />, onPress: () => begin({ kind: "file", folder: "" }) },
    { label: "New folder", icon: <FolderPlus className="s" />, onPress: () => begin({ kind: "folder", folder: "" }) },
    { label: "Upload files", icon: <Upload className="s" />, onPress: () => pickUpload("") },
  ];
  return (
    <ExplorerSection title="Files" className="app-files" acts={isReadOnly ? [] : acts}>
      <input
        ref={uploadRef}
        type="file"
        multiple
        hidden
        aria-label="Files to upload"
        onChange={({ target }) => {
          void state.upload(target.files, uploadTo.current).then(() => {
            target.value = "";
          });
        }}
      />
      {tree.isPending && <ExplorerBars label="Loading files" widths={BAR_WIDTHS} />}
      {tree.isError && !tree.data && (
        <ExplorerFailure message={tree.error.message} onRetry={() => void tree.refetch()} />
      )}
      {tree.data && files.length === 0 && naming === null && (
        <p className="sec-note">No files yet. Create index.html or upload files.</p>
      )}
      {tree.data && (
        <Tree
          label="Files"
          rows={toRows(state, { work, places, marks })}
          onToggle={state.toggle}
          onActivate={(path) => path !== NEW && places.open(path)}
          onRename={(path) => !isReadOnly && begin({ kind: "rename", path })}
          onRemove={(path) => !isReadOnly && state.setRemoving(path)}
          toMenu={toMenu}
        />
      )}
      <FileQuestions state={state} />
    </ExplorerSection>
  );
}

type State = ReturnType<typeof useFileTree>;

/** Returns the rows of the files, with an input in place of a name, or below its folder, while one is typed. */
function toRows(
  { nodes, naming, finish }: State,
  { work, places, marks }: Pick<FileTreeProps, "work" | "places" | "marks">,
): TreeRow[] {
  const newIn = naming !== null && naming.kind !== "rename" ? naming.folder : null;
  const toInput = (kind: "file" | "folder", value: string) => (
    <NameInput
      label={kind === "folder" ? "Folder name" : "File name"}
      value={value}
      onDone={(typed) => void finish(typed)}
    />
  );
  const toNewRow = (level: number, parentId: string | null): TreeRow => {
    const kind = naming?.kind === "folder" ? "folder" : "file";
    const content = (
      <>
        {kind === "folder" ? <Folder /> : <File />}
        {toInput(kind, "")}
      </>
    );
    return { id: NEW, parentId, level, label: "", positionInSet: 1, setSize: 1, content };
  };
  const rows = nodes.flatMap((node): TreeRow[] => {
    const { path, file } = node;
    const isRenamed = naming?.kind === "rename" && naming.path === path;
    const text = work.texts.get(path)?.status ?? null;
    const row: TreeRow = {
      ...node,
      isSelected: places.centre === "file" && path === places.file,
      content: isRenamed ? (
        toInput(file === null ? "folder" : "file", nameOf(path))
      ) : (
        <FileTreeRow node={node} text={text} mark={marks.get(path) ?? null} />
      ),
    };
    return newIn === path ? [row, toNewRow(node.level + 1, path)] : [row];
  });
  return newIn === "" ? [toNewRow(0, null), ...rows] : rows;
}

type FileMenuProps = {
  path: string;
  /** The folder itself, or that of a file. */
  folder: string;
  onName: (naming: Naming) => void;
  onUpload: (folder: string) => void;
  /** Null for a file without a change. */
  onShowChange: (() => void) | null;
  onRemove: (path: string) => void;
};

function FileMenu({ path, folder, onName, onUpload, onShowChange, onRemove }: FileMenuProps) {
  return (
    <>
      <MenuItem icon={<FilePlus2 />} onSelect={() => afterMenu(() => onName({ kind: "file", folder }))}>
        New file
      </MenuItem>
      <MenuItem icon={<FolderPlus />} onSelect={() => afterMenu(() => onName({ kind: "folder", folder }))}>
        New folder
      </MenuItem>
      <MenuItem icon={<Upload />} onSelect={() => onUpload(folder)}>
        Upload files
      </MenuItem>
      <MenuLine />
      <MenuItem icon={<Pencil />} onSelect={() => afterMenu(() => onName({ kind: "rename", path }))}>
        Rename
      </MenuItem>
      {onShowChange !== null && (
        <MenuItem icon={<Undo2 />} onSelect={onShowChange}>
          View changes
        </MenuItem>
      )}
      <MenuItem icon={<Trash2 />} onSelect={() => onRemove(path)}>
        Delete
      </MenuItem>
    </>
  );
}

/** The questions before a file is deleted or replaced. */
function FileQuestions({ state }: { state: State }) {
  const { removing, replacing, isBusy } = state;
  return (
    <>
      {removing !== null && (
        <Confirm
          title={`Delete ${nameOf(removing)}?`}
          action={state.isFolder(removing) ? "Delete folder" : "Delete file"}
          isOpen
          isBusy={isBusy}
          failure={null}
          onConfirm={() => void state.remove(removing)}
          onClose={() => state.setRemoving(null)}
        >
          {state.isFolder(removing)
            ? `This deletes ${formatCountOf(state.countUnder(removing), "file")}. `
            : "Uncommitted changes are lost. "}
          Committed versions stay in the history.
        </Confirm>
      )}
      {replacing[0] && (
        <Confirm
          title={`Replace ${replacing[0].path}?`}
          action="Replace file"
          isOpen
          isBusy={isBusy}
          failure={null}
          onConfirm={() => void state.replace(replacing)}
          onClose={state.skip}
        >
          A file with this name exists. Uncommitted changes to it are lost.
        </Confirm>
      )}
    </>
  );
}

/** Runs an action after the menu has closed: closing returns the focus, which would end the editing of a name. */
function afterMenu(act: () => void): void {
  const look = () => {
    if (document.querySelector('[role="menu"]') !== null) requestAnimationFrame(look);
    else requestAnimationFrame(() => requestAnimationFrame(act));
  };
  requestAnimationFrame(look);
}
