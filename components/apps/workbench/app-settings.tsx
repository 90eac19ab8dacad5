"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { useId, useState } from "react";
import { AccessField, DescriptionField, TitleField } from "@/components/apps/app-fields";
import { readFeedAnew, toAppKey } from "@/components/apps/use-apps";
import { useWorkspace } from "@/components/layout/workspace-context";
import { Confirm } from "@/components/ui/confirm";
import { FormFailure } from "@/components/ui/form-parts";
import { Modal } from "@/components/ui/modal";
import { TextField } from "@/components/ui/text-field";
import { toMessage } from "@/components/ui/to-message";
import { showToast } from "@/components/ui/toast";
import { useServerForm } from "@/components/ui/use-server-form";
import { appApi } from "@/lib/features/apps/browser/client";
import type { App } from "@/lib/features/apps/schema";

type AppFields = Pick<App, "title" | "description" | "access">;

/** Dialog for an app's title, description and access, and for deleting it. */
export function AppSettings({ app, onClose }: { app: App; onClose: () => void }) {
  const { workspace, user } = useWorkspace();
  const client = useQueryClient();
  const router = useRouter();
  const formId = useId();
  const [isDeleting, setIsDeleting] = useState(false);
  const isOwner = app.ownerId === user.id;
  const mayDelete = isOwner || workspace.role !== "member";
  const { formProps, failure, isBusy, text, control, problemOf } = useServerForm<AppFields>({
    initial: { title: app.title, description: app.description, access: app.access },
    fields: ["title", "description", "access"],
    check: ({ title }) => (title.trim() === "" ? { title: "Enter a title." } : {}),
    send: async ({ access, ...texts }) => {
      const saved = await appApi.update(workspace.id, app.id, { ...texts, ...(access !== app.access && { access }) });
      void readFeedAnew(client, workspace.id);
      await client.invalidateQueries({ queryKey: toAppKey(workspace.id, app.id) });
      await client.invalidateQueries({ queryKey: toAppKey(workspace.id, app.slug) });
      onClose();
      // In the other space its slug may have been taken.
      if (saved.slug !== app.slug) router.replace(`/w/${workspace.slug}/apps/${saved.slug}/edit`);
      showToast(`${saved.title} saved`, { id: "app-saved" });
    },
  });
  if (isDeleting) return <DeleteApp app={app} onClose={() => setIsDeleting(false)} />;
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
      <form {...formProps} id={formId} className="new-app">
        <FormFailure text={failure} />
        <TitleField {...text("title")} />
        <DescriptionField {...text("description")} />
        <TextField
          label="Slug"
          isDense
          value={app.slug}
          readOnly
          help={`Used in the URL and as the folder apps/${app.slug}. Can't be changed.`}
        />
        <AccessField
          {...control("access")}
          error={problemOf("access")}
          isDisabled={isBusy || !isOwner}
          privateHelp="Moves its files out of the shared repository"
        />
        {!isOwner && <p className="xs t2">Only the owner can change visibility.</p>}
      </form>
    </Modal>
  );
}

function DeleteApp({ app, onClose }: { app: App; onClose: () => void }) {
  const { workspace } = useWorkspace();
  const client = useQueryClient();
  const router = useRouter();
  const remove = useMutation({
    mutationFn: () => appApi.remove(workspace.id, app.id),
    onSuccess: () => {
      void readFeedAnew(client, workspace.id);
      router.push(`/w/${workspace.slug}/apps`);
      showToast(`${app.title} deleted`, { id: "app-deleted" });
    },
  });
  return (
    <Confirm
      title={`Delete ${app.title}?`}
      action="Delete app"
      isOpen
      isBusy={remove.isPending || remove.isSuccess}
      typedName={app.slug}
      failure={remove.isError ? toMessage(remove.error) : null}
      onConfirm={() => remove.mutate()}
      onClose={onClose}
    >
      The app, its share link and all uncommitted changes are deleted. Commits stay in Git. The slug can't be reused.
    </Confirm>
  );
}
