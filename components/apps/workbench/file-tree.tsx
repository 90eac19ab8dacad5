"use client";

import {
  Braces,
  Database,
  File,
  FileCode2,
  FilePlus2,
  FileText,
  Folder,
  FolderOpen,
  FolderPlus,
  Image,
  type LucideIcon,
  Palette,
  Pencil,
  Trash2,
  Undo2,
  Upload,
} from "lucide-react";
import { useMemo, useRef, useState } from "react";
import { FILE_BYTES_MAX } from "@/components/apps/workbench/limits";
import type { Places } from "@/components/apps/workbench/use-places";
import type { Work } from "@/components/apps/workbench/use-work";
import { ExplorerBars, ExplorerFailure, ExplorerSection } from "@/components/layout/explorer-section";
import { Confirm } from "@/components/ui/confirm";
import { MenuItem, MenuLine } from "@/components/ui/menu";
import { NameInput } from "@/components/ui/name-input";
import { showFailure } from "@/components/ui/toast";
import { Tree, type TreeRow } from "@/components/ui/tree";
import {
  buildFileTree,
  type FileKind,
  faultOfName,
  fileKindOf,
  folderOf,
  joinPath,
  movedPath,
  nameOf,
} from "@/lib/features/apps/browser/app-files";
import type { TreeItem } from "@/lib/features/apps/browser/client";

const ICONS: Record<FileKind, LucideIcon> = {
  script: FileCode2,
  css: Palette,
  html: FileCode2,
  json: Braces,
  markdown: FileText,
  sql: Database,
  image: Image,
  text: File,
};
const MARKS = { added: "A", modified: "M" } as const;
const MARK_WORDS = { added: "added, not committed", modified: "changed, not committed" } as const;
const BAR_WIDTHS = [42, 60, 54, 36];
/** Key of the row in which a new name is typed. */
const NEW = "\u0000new";

type Naming = { kind: "file" | "folder"; folder: string } | { kind: "rename"; path: string };
/** Label after a file name. */
export type FileMark = { word: string; isBad: boolean };
type FileTreeProps = { work: Work; places: Places; isReadOnly: boolean; marks: ReadonlyMap<string, FileMark> };

/** Tree of an app's files. @param marks labels by path: the state of a binding, or a compile error */
export function FileTree({ work, places, isReadOnly, marks }: FileTreeProps) {
  const { files, tree, texts } = work;
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set());
  const [empty, setEmpty] = useState<readonly string[]>([]);
  const [naming, setNaming] = useState<Naming | null>(null);
  const [removing, setRemoving] = useState<string | null>(null);
  const [replacing, setReplacing] = useState<{ path: string; content: Blob }[]>([]);
  const [isBusy, setIsBusy] = useState(false);
  const uploadRef = useRef<HTMLInputElement>(null);
  const uploadTo = useRef("");
  const nodes = useMemo(() => buildFileTree(files, empty, (folder) => !closed.has(folder)), [files, empty, closed]);
  const isFolder = (path: string) => nodes.find((each) => each.path === path)?.file === null;
  const under = (path: string) => files.filter((each) => movedPath(each.path, path, path) !== null);
  const openFolder = (folder: string) => {
    const parts = folder.split("/");
    const all = parts.map((_, at) => parts.slice(0, at + 1).join("/"));
    setClosed((now) => new Set([...now].filter((each) => !all.includes(each))));
  };
  const busy = async <T,>(act: () => Promise<T>): Promise<T> => {
    setIsBusy(true);
    try {
      return await act();
    } finally {
      setIsBusy(false);
    }
  };

  const begin = (next: Naming) => {
    if (next.kind !== "rename" && next.folder !== "") openFolder(next.folder);
    setNaming(next);
  };
  const finish = async (typed: string | null) => {
    const asked = naming;
    setNaming(null);
    if (asked === null || typed === null || typed.trim() === "") return;
    const fault = faultOfName(typed.trim());
    if (fault !== null) return showFailure(fault);
    const folder = asked.kind === "rename" ? folderOf(asked.path) : asked.folder;
    const path = joinPath(folder, typed.trim());
    if (asked.kind === "rename") {
      if (path === asked.path) return;
      const isDone = await busy(() => work.move(asked.path, path));
      setEmpty((all) => all.map((each) => movedPath(each, asked.path, path) ?? each));
      if (isDone) places.follow((each) => movedPath(each, asked.path, path) ?? each);
    } else if (asked.kind === "folder") {
      setEmpty((all) => [...all, path]);
      openFolder(path);
    } else if ((await busy(() => work.add(path))) !== null) {
      places.open(path);
    }
  };
  const upload = async (list: FileList | null) => {
    const again: { path: string; content: Blob }[] = [];
    for (const file of list ?? []) {
      const path = joinPath(uploadTo.current, file.name);
      if (file.size > FILE_BYTES_MAX)
        showFailure(`${file.name} is larger than 25 MiB, which is the most that a file has.`);
      else if (files.some((each) => each.path === path)) again.push({ path, content: file });
      else await busy(() => work.add(path, file));
    }
    setReplacing(again);
  };
  const pickUpload = (folder: string) => {
    uploadTo.current = folder;
    uploadRef.current?.click();
  };
  const remove = async (path: string) => {
    const gone = under(path).map((each) => each.path);
    const isDone = await busy(() => work.remove(gone));
    setRemoving(null);
    setEmpty((all) => all.filter((each) => movedPath(each, path, path) === null));
    if (isDone) places.follow((each) => (gone.includes(each) ? null : each));
  };

  const rows = nodes.flatMap((node): TreeRow[] => {
    const { path, file } = node;
    const row: TreeRow = {
      ...node,
      isSelected: places.centre === "file" && path === places.file,
      content:
        naming?.kind === "rename" && naming.path === path ? (
          <NameInput
            label={file === null ? "Name of the folder" : "Name of the file"}
            value={nameOf(path)}
            onDone={(typed) => void finish(typed)}
          />
        ) : (
          <RowContent
            node={node}
            text={texts.has(path) ? (texts.get(path)?.status ?? null) : null}
            mark={marks.get(path) ?? null}
          />
        ),
    };
    const isHere = naming !== null && naming.kind !== "rename" && naming.folder === path;
    return isHere ? [row, newRow(node.level + 1, path)] : [row];
  });
  const all = naming !== null && naming.kind !== "rename" && naming.folder === "" ? [newRow(0, null), ...rows] : rows;

  function newRow(level: number, parentId: string | null): TreeRow {
    return {
      id: NEW,
      parentId,
      level,
      label: "",
      positionInSet: 1,
      setSize: 1,
      content: (
        <>
          {naming?.kind === "folder" ? <Folder /> : <File />}
          <NameInput
            label={naming?.kind === "folder" ? "Name of the folder" : "Name of the file"}
            value=""
            onDone={(typed) => void finish(typed)}
          />
        </>
      ),
    };
  }
  const toMenu = (path: string) => {
    if (path === NEW || isReadOnly) return null;
    const isHere = isFolder(path);
    const folder = isHere ? path : folderOf(path);
    const draft = files.find((each) => each.path === path)?.draft ?? null;
    return {
      about: path,
      items: (
        <>
          <MenuItem icon={<FilePlus2 />} onSelect={() => afterMenu(() => begin({ kind: "file", folder }))}>
            New file
          </MenuItem>
          <MenuItem icon={<FolderPlus />} onSelect={() => afterMenu(() => begin({ kind: "folder", folder }))}>
            New folder
          </MenuItem>
          <MenuItem icon={<Upload />} onSelect={() => pickUpload(folder)}>
            Upload files
          </MenuItem>
          <MenuLine />
          <MenuItem icon={<Pencil />} onSelect={() => afterMenu(() => begin({ kind: "rename", path }))}>
            Rename
          </MenuItem>
          {draft !== null && (
            <MenuItem icon={<Undo2 />} onSelect={() => places.showCentre("changes")}>
              Look at the change
            </MenuItem>
          )}
          <MenuItem icon={<Trash2 />} onSelect={() => setRemoving(path)}>
            Delete
          </MenuItem>
        </>
      ),
    };
  };
  return (
    <ExplorerSection
      title="Files"
      className="app-files"
      acts={
        isReadOnly
          ? []
          : [
              {
                label: "New file",
                icon: <FilePlus2 className="s" />,
                onPress: () => begin({ kind: "file", folder: "" }),
              },
              {
                label: "New folder",
                icon: <FolderPlus className="s" />,
                onPress: () => begin({ kind: "folder", folder: "" }),
              },
              { label: "Upload files", icon: <Upload className="s" />, onPress: () => pickUpload("") },
            ]
      }
    >
      <input
        ref={uploadRef}
        type="file"
        multiple
        hidden
        aria-label="Files to upload"
        onChange={({ target }) => {
          const list = target.files;
          void upload(list).then(() => {
            target.value = "";
          });
        }}
      />
      {tree.isPending && <ExplorerBars label="Reading the files" widths={BAR_WIDTHS} />}
      {tree.isError && !tree.data && (
        <ExplorerFailure message={tree.error.message} onRetry={() => void tree.refetch()} />
      )}
      {tree.data && files.length === 0 && naming === null && (
        <p className="sec-note">No files. Make index.html, or upload some.</p>
      )}
      {tree.data && (
        <Tree
          label="Files"
          rows={all}
          onToggle={(path) =>
            setClosed((now) => {
              const next = new Set(now);
              if (!next.delete(path)) next.add(path);
              return next;
            })
          }
          onActivate={(path) => path !== NEW && places.open(path)}
          onRename={(path) => !isReadOnly && begin({ kind: "rename", path })}
          onRemove={(path) => !isReadOnly && setRemoving(path)}
          toMenu={toMenu}
        />
      )}
      {removing !== null && (
        <Confirm
          title={`Delete ${nameOf(removing)}?`}
          action="Delete"
          isOpen
          isBusy={isBusy}
          failure={null}
          onConfirm={() => void remove(removing)}
          onClose={() => setRemoving(null)}
        >
          {isFolder(removing)
            ? `${under(removing).length} files in it go with it. `
            : "What you have typed in it and not committed is gone. "}
          What is committed stays in the history.
        </Confirm>
      )}
      {replacing[0] && (
        <Confirm
          title={`Replace ${replacing[0].path}?`}
          action="Replace"
          isOpen
          isBusy={isBusy}
          failure={null}
          onConfirm={() => {
            const [first, ...rest] = replacing;
            if (first) void busy(() => work.replace(first.path, first.content)).then(() => setReplacing(rest));
          }}
          onClose={() => setReplacing(replacing.slice(1))}
        >
          There is a file of this name. What you have typed in it and not committed is gone.
        </Confirm>
      )}
    </ExplorerSection>
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

type RowContentProps = {
  node: { label: string; path: string; isExpanded?: boolean; file: TreeItem | null };
  /** Save state of the edits to the file; null when the server has them. */
  text: "waiting" | "sending" | "refused" | "conflict" | null;
  mark: FileMark | null;
};

function RowContent({ node, text, mark }: RowContentProps) {
  const { label, path, file, isExpanded } = node;
  const Icon = file === null ? (isExpanded ? FolderOpen : Folder) : ICONS[fileKindOf(path)];
  return (
    <>
      <Icon />
      <span className="trunc grow">{label}</span>
      {text === "conflict" || text === "refused" ? <span className="meta bad">not saved</span> : null}
      {text === "waiting" || text === "sending" ? (
        <i className="dirty" role="img" aria-label="not saved yet" />
      ) : mark !== null ? (
        <span className={mark.isBad ? "meta bad" : "meta"}>{mark.word}</span>
      ) : null}
      {file?.draft && (
        <span className={`file-mark ${file.draft}`} title={MARK_WORDS[file.draft]}>
          <span aria-hidden="true">{MARKS[file.draft]}</span>
          <span className="sr-only">{MARK_WORDS[file.draft]}</span>
        </span>
      )}
    </>
  );
}
