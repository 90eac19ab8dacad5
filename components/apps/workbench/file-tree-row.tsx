import {
  Braces,
  Database,
  File,
  FileCode2,
  FileText,
  Folder,
  FolderOpen,
  Image,
  type LucideIcon,
  Palette,
} from "lucide-react";
import { type FileKind, fileKindOf } from "@/lib/features/apps/browser/app-files";
import type { TreeItem } from "@/lib/features/apps/schema";

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
const MARK_WORDS = { added: "Added, uncommitted", modified: "Changed, uncommitted" } as const;

/** Label after a file name. */
export type FileMark = { word: string; isBad: boolean };

type FileTreeRowProps = {
  node: { label: string; path: string; isExpanded?: boolean; file: TreeItem | null };
  /** Save state of the edits to the file; null when the server has them. */
  text: "waiting" | "sending" | "refused" | "conflict" | null;
  mark: FileMark | null;
};

/** Icon, name and marks of a file or a folder. */
export function FileTreeRow({ node, text, mark }: FileTreeRowProps) {
  const { label, path, file, isExpanded } = node;
  const Icon = file === null ? (isExpanded ? FolderOpen : Folder) : ICONS[fileKindOf(path)];
  return (
    <>
      <Icon />
      <span className="trunc grow">{label}</span>
      {text === "conflict" || text === "refused" ? <span className="meta bad">unsaved</span> : null}
      {text === "waiting" || text === "sending" ? (
        <i className="dirty" role="img" aria-label="Unsaved" />
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
