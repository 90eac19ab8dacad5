"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { type FormEvent, useId, useState } from "react";
import { AccessField, DescriptionField, TitleField } from "@/components/apps/app-fields";
import { readFeedAnew, toAppKey } from "@/components/apps/use-apps";
import { useWorkspace } from "@/components/layout/workspace-context";
import { Confirm } from "@/components/ui/confirm";
import { Modal } from "@/components/ui/modal";
import { Notice } from "@/components/ui/notice";
import { problemsOf } from "@/components/ui/problems-of";
import { TextField } from "@/components/ui/text-field";
import { toMessage } from "@/components/ui/to-message";
import { showToast } from "@/components/ui/toast";
import { type App, appApi } from "@/lib/features/apps/browser/client";

type Problems = { title?: string; description?: string; access?: string };

/** Dialog for an app's title, description and access, and for deleting it. */
export function AppSettings({ app, onClose }: { app: App; onClose: () => void }) {
  const { workspace, user } = useWorkspace();
  const client = useQueryClient();
  const router = useRouter();
  const formId = useId();
  const [title, setTitle] = useState(app.title);
  const [description, setDescription] = useState(app.description);
  const [access, setAccess] = useState(app.access);
  const [problems, setProblems] = useState<Problems>({});
  const [failure, setFailure] = useState<string | null>(null);
  const [isBusy, setIsBusy] = useState(false);
  const [isDeleting, setIsDeleting] = useState(false);
  const isOwner = app.ownerId === user.id;
  const mayDelete = isOwner || workspace.role !== "member";

  const save = async (event: FormEvent) => {
    event.preventDefault();
    if (title.trim() === "") return setProblems({ title: "Enter a title." });
    setIsBusy(true);
    setFailure(null);
    setProblems({});
    try {
      const saved = await appApi.update(workspace.id, app.id, {
        title,
        description,
        ...(access !== app.access && { access }),
      });
      void readFeedAnew(client, workspace.id);
      await client.invalidateQueries({ queryKey: toAppKey(workspace.id, app.id) });
      await client.invalidateQueries({ queryKey: toAppKey(workspace.id, app.slug) });
      onClose();
      // In the other space its slug may have been taken.
      if (saved.slug !== app.slug) router.replace(`/w/${workspace.slug}/apps/${saved.slug}/edit`);
      showToast(`${saved.title} saved`, { id: "app-saved" });
    } catch (error) {
      const said = problemsOf(error, ["title", "description", "access"]);
      setProblems(said);
      if (Object.keys(said).length === 0) setFailure(toMessage(error));
    } finally {
      setIsBusy(false);
    }
  };
  const remove = async () => {
    setIsBusy(true);
    setFailure(null);
    try {
      await appApi.remove(workspace.id, app.id);
      void readFeedAnew(client, workspace.id);
      router.push(`/w/${workspace.slug}/apps`);
      showToast(`${app.title} deleted`, { id: "app-deleted" });
    } catch (error) {
      setFailure(toMessage(error));
      setIsBusy(false);
    }
  };
  if (isDeleting) {
    return (
      <Confirm
        title={`Delete ${app.title}?`}
        action="Delete app"
        isOpen
        isBusy={isBusy}
        typedName={app.slug}
        failure={failure}
        onConfirm={() => void remove()}
        onClose={() => setIsDeleting(false)}
      >
        The app, its share link and all uncommitted changes are deleted. Commits stay in Git. The slug can't be reused.
      </Confirm>
    );
  }
  return (
    <Modal
      title={`${app.title} settings`}
      isOpen
      onClose={onClose}
      foot={
        <>
          {mayDelete && (
            <button
              type="button"
              className="btn ghost danger share-stop"
              disabled={isBusy}
              onClick={() => setIsDeleting(true)}
            >
              Delete app
            </button>
          )}
          <button type="submit" form={formId} className="btn primary" disabled={isBusy}>
            Save
          </button>
        </>
      }
    >
      <form id={formId} className="new-app" onSubmit={(event) => void save(event)} noValidate>
        {failure !== null && (
          <Notice kind="bad" role="alert">
            {failure}
          </Notice>
        )}
        <TitleField value={title} error={problems.title} onChange={setTitle} />
        <DescriptionField value={description} error={problems.description} onChange={setDescription} />
        <TextField
          label="Slug"
          isDense
          value={app.slug}
          readOnly
          help={`Used in the URL and as the folder apps/${app.slug}. Can't be changed.`}
        />
        <AccessField
          value={access}
          error={problems.access}
          isDisabled={isBusy || !isOwner}
          privateHelp="Moves its files out of the shared repository"
          onChange={setAccess}
        />
        {!isOwner && <p className="xs t2">Only the owner can change visibility.</p>}
      </form>
    </Modal>
  );
}
