"use client";

import { useMemo, useState } from "react";
import { FILE_BYTES_MAX } from "@/components/apps/workbench/limits";
import type { Places } from "@/components/apps/workbench/use-places";
import type { Work } from "@/components/apps/workbench/use-work";
import { showFailure } from "@/components/ui/toast";
import { buildFileTree, faultOfName, folderOf, joinPath, movedPath } from "@/lib/features/apps/browser/app-files";

/** A name that is being typed. */
export type Naming = { kind: "file" | "folder"; folder: string } | { kind: "rename"; path: string };
/** An upload with the name of an existing file. */
type Replacement = { path: string; content: Blob };

/** State of the tree of an app's files, and what can be done with a file or a folder. Paths have no leading slash. */
export function useFileTree(work: Work, places: Places) {
  const { files } = work;
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set());
  /** Folders without files, which git does not have. */
  const [empty, setEmpty] = useState<readonly string[]>([]);
  const [naming, setNaming] = useState<Naming | null>(null);
  const [removing, setRemoving] = useState<string | null>(null);
  const [replacing, setReplacing] = useState<Replacement[]>([]);
  const [isBusy, setIsBusy] = useState(false);
  const nodes = useMemo(() => buildFileTree(files, empty, (folder) => !closed.has(folder)), [files, empty, closed]);
  const under = (path: string) => files.filter((each) => movedPath(each.path, path, path) !== null);
  const openFolder = (folder: string) => {
    const parts = folder.split("/");
    const all = parts.map((_, at) => parts.slice(0, at + 1).join("/"));
    setClosed((now) => new Set([...now].filter((each) => !all.includes(each))));
  };
  const busy = async <T>(act: () => Promise<T>): Promise<T> => {
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
  const upload = async (list: FileList | null, folder: string) => {
    const again: Replacement[] = [];
    for (const file of list ?? []) {
      const path = joinPath(folder, file.name);
      if (file.size > FILE_BYTES_MAX) showFailure(`${file.name} exceeds the 25 MiB limit.`);
      else if (files.some((each) => each.path === path)) again.push({ path, content: file });
      else await busy(() => work.add(path, file));
    }
    setReplacing(again);
  };
  const replace = async ([first, ...rest]: Replacement[]) => {
    if (first === undefined) return;
    await busy(() => work.replace(first.path, first.content));
    setReplacing(rest);
  };
  const remove = async (path: string) => {
    const gone = under(path).map((each) => each.path);
    const isDone = await busy(() => work.remove(gone));
    setRemoving(null);
    setEmpty((all) => all.filter((each) => movedPath(each, path, path) === null));
    if (isDone) places.follow((each) => (gone.includes(each) ? null : each));
  };
  const toggle = (path: string) =>
    setClosed((now) => {
      const next = new Set(now);
      if (!next.delete(path)) next.add(path);
      return next;
    });
  return {
    nodes,
    naming,
    removing,
    replacing,
    isBusy,
    isFolder: (path: string) => nodes.find((each) => each.path === path)?.file === null,
    countUnder: (path: string) => under(path).length,
    begin,
    finish,
    upload,
    replace,
    skip: () => setReplacing(replacing.slice(1)),
    remove,
    setRemoving,
    toggle,
  };
}
