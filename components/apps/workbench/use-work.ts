"use client";

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useMemo, useSyncExternalStore } from "react";
import { toAppKey, toAppWorkKey } from "@/components/apps/use-apps";
import { FileStore, type KnownText, type LocalText } from "@/components/apps/workbench/file-store";
import { useRefresh } from "@/components/layout/use-refresh";
import { useWorkspace } from "@/components/layout/workspace-context";
import { showFailure } from "@/components/ui/toast";
import { imageTypeOf, movedPath } from "@/lib/features/apps/browser/app-files";
import { appApi } from "@/lib/features/apps/browser/client";
import type { App, AppFile, TreeItem } from "@/lib/features/apps/schema";
import { ApiError } from "@/lib/platform/browser/request";

const NO_FILES: TreeItem[] = [];
const NOTHING: ReadonlyMap<string, LocalText> = new Map();

/** A user's work on an app: its files, unsaved edits and their state. */
export type Work = ReturnType<typeof useWork>;

export function useWork(app: App) {
  const { workspace, user } = useWorkspace();
  const client = useQueryClient();
  const key = toAppWorkKey(workspace.id, app.id);
  useRefresh(
    [key, toAppKey(workspace.id, app.id), toAppKey(workspace.id, app.slug)],
    ({ kind, data }) => kind === "app" && data.resourceId === app.id,
  );
  const tree = useQuery({
    queryKey: [...key, "files"],
    queryFn: ({ signal }) => appApi.listFiles(workspace.id, app.id, undefined, signal),
  });
  const status = useQuery({
    queryKey: [...key, "status"],
    queryFn: ({ signal }) => appApi.readStatus(workspace.id, app.id, signal),
  });
  const store = useMemo(
    () =>
      new FileStore(
        user.id,
        app.id,
        {
          write: (path, content, oid) => appApi.writeFile(workspace.id, app.id, path, content, oid),
          onSaved: (path, content, oid) => {
            const work = toAppWorkKey(workspace.id, app.id);
            const fileKey = [...work, "file", path];
            // A read that started before this save would restore the old content.
            void client.cancelQueries({ queryKey: fileKey });
            client.setQueryData<AppFile>(fileKey, (known) => known && { ...known, content, oid });
            void client.invalidateQueries({ queryKey: [...work, "files"] });
            void client.invalidateQueries({ queryKey: [...work, "status"] });
          },
        },
        () => showFailure("Browser storage is full. Unsaved changes may be lost."),
      ),
    [client, user.id, workspace.id, app.id],
  );
  useEffect(() => store.wake(), [store]);
  const texts = useSyncExternalStore(store.subscribe, store.readAll, () => NOTHING);
  const saveState = useSyncExternalStore(store.subscribe, store.readState, () => "saved" as const);
  const files = tree.data ?? NO_FILES;

  const readAnew = () => client.invalidateQueries({ queryKey: key });
  /** Runs a request and reports a failure to the user. @returns null after a failure */
  const attempt = async <T>(effect: string, work: () => Promise<T>): Promise<T | null> => {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      showFailure(`${effect} ${error.message}`);
      return null;
    } finally {
      await readAnew();
    }
  };
  const move = async (from: string, to: string) => {
    for (const { path, oid } of files) {
      const target = movedPath(path, from, to);
      if (target === null) continue;
      const typed = store.read(path)?.content;
      const content = typed ?? (await appApi.readFileBytes(workspace.id, app.id, path));
      const moved = await appApi.writeFile(workspace.id, app.id, target, content, "none");
      await appApi.removeFile(workspace.id, app.id, path, oid);
      // Edits typed during the move are moved too.
      const since = store.read(path)?.content;
      if (since !== undefined && since !== typed) store.write(target, since, { oid: moved.oid, content: typed ?? "" });
      store.drop(path);
    }
    return true;
  };
  const commit = async (message: string | undefined) => {
    if (await store.flush()) return appApi.commit(workspace.id, app.id, message);
    showFailure("Some files aren't saved. Save them, then commit.");
    return null;
  };
  return {
    app,
    tree,
    files,
    status,
    store,
    texts,
    saveState,
    readAnew,
    /** @param content of the new file */
    add: (path: string, content: string | Blob = "") =>
      attempt("Couldn't create the file.", () => appApi.writeFile(workspace.id, app.id, path, content, "none")),
    /** Uploads a file and overwrites an existing one. */
    replace: (path: string, content: Blob) =>
      attempt("Couldn't upload the file.", async () => {
        const item = await appApi.writeFile(workspace.id, app.id, path, content);
        store.drop(path);
        return item;
      }),
    /** Moves a file, or a folder with its content. */
    move: (from: string, to: string) => attempt("Some files couldn't be moved.", () => move(from, to)),
    remove: (paths: readonly string[]) =>
      attempt("Some files couldn't be deleted.", async () => {
        for (const path of paths) {
          await appApi.removeFile(workspace.id, app.id, path);
          store.drop(path);
        }
        return true;
      }),
    /** Discards changes. @param path one file; default: all files */
    discard: (path?: string) =>
      attempt("Couldn't discard changes.", async () => {
        if (path === undefined) store.dropAll();
        else store.drop(path);
        await appApi.discard(workspace.id, app.id, path);
        return true;
      }),
    commit: (message: string | undefined) => attempt("Couldn't commit.", () => commit(message)),
    /** Commits open changes, if any: another tab may have committed them. @returns false after a failure */
    commitOpen: (message: string | undefined) =>
      attempt("Couldn't commit.", async () => {
        try {
          return (await commit(message)) !== null;
        } catch (error) {
          if (!(error instanceof ApiError) || error.status !== 409) throw error;
          const { drafts } = await appApi.readStatus(workspace.id, app.id);
          if (drafts.length > 0) throw error;
          return true;
        }
      }).then((isDone) => isDone === true),
  };
}

/** Reads a file in the user's version, or as of a commit. */
export function useAppFile(app: App, path: string | null, sha?: string) {
  const { workspace } = useWorkspace();
  const key = toAppWorkKey(workspace.id, app.id);
  return useQuery({
    queryKey: sha === undefined ? [...key, "file", path] : ["app-commit-file", workspace.id, app.id, sha, path],
    queryFn: ({ signal }) => appApi.readFile(workspace.id, app.id, path ?? "", sha, signal),
    enabled: path !== null && (imageTypeOf(path) === null || path.endsWith(".svg")),
    ...(sha !== undefined && { staleTime: Number.POSITIVE_INFINITY }),
  });
}

/** Reads all files as of a commit; null reads nothing. */
export function useTreeAt(app: App, sha: string | null) {
  const { workspace } = useWorkspace();
  return useQuery({
    queryKey: ["app-commit-tree", workspace.id, app.id, sha],
    queryFn: ({ signal }) => appApi.listFiles(workspace.id, app.id, sha ?? undefined, signal),
    enabled: sha !== null,
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** Returns the text of a file on the server; null for a binary file. */
export function toKnown(file: AppFile | undefined): KnownText | null {
  return file?.encoding === "utf8" ? { oid: file.oid, content: file.content } : null;
}
