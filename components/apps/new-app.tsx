"use client";

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { AppWindow } from "lucide-react";
import { useRouter } from "next/navigation";
import { useId } from "react";
import { AccessField, DescriptionField, TitleField } from "@/components/apps/app-fields";
import { readFeedAnew } from "@/components/apps/use-apps";
import { useWorkspace } from "@/components/layout/workspace-context";
import { FormModal } from "@/components/ui/form-modal";
import { ListSkeleton } from "@/components/ui/list-skeleton";
import { LoadFailure } from "@/components/ui/load-failure";
import { Modal } from "@/components/ui/modal";
import { useServerForm } from "@/components/ui/use-server-form";
import { appApi } from "@/lib/features/apps/browser/client";
import type { CreateAppBody, Template } from "@/lib/features/apps/schema";

type Access = NonNullable<CreateAppBody["access"]>;

/** Dialog for the template and the title of a new app; creates it and opens its workbench. */
export function NewApp({ onClose }: { onClose: () => void }) {
  const { workspace } = useWorkspace();
  const templates = useQuery({
    queryKey: ["app-templates", workspace.id],
    queryFn: ({ signal }) => appApi.listTemplates(workspace.id, signal),
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (templates.data) return <Form templates={templates.data} onClose={onClose} />;
  return (
    <Modal title="New app" isOpen onClose={onClose}>
      {templates.isError ? (
        <LoadFailure error={templates.error} onRetry={() => templates.refetch()} />
      ) : (
        <ListSkeleton label="Loading templates" />
      )}
    </Modal>
  );
}

type AppFields = { title: string; description: string; template: Template["name"] | undefined; access: Access };

function Form({ templates, onClose }: { templates: Template[]; onClose: () => void }) {
  const { workspace } = useWorkspace();
  const client = useQueryClient();
  const router = useRouter();
  const server = useServerForm<AppFields>({
    initial: { title: "", description: "", template: templates[0]?.name, access: "private" },
    fields: ["title", "description"],
    check: ({ title }) => (title.trim() === "" ? { title: "Enter a title." } : {}),
    send: async ({ template, ...fields }) => {
      const app = await appApi.create(workspace.id, { ...fields, ...(template && { template }) });
      void readFeedAnew(client, workspace.id);
      router.push(`/w/${workspace.slug}/apps/${app.slug}/edit`);
      return "left";
    },
  });
  const { isBusy, text, control } = server;
  const template = control("template");
  return (
    <FormModal title="New app" server={server} action="Create app" className="new-app" onClose={onClose}>
      <TitleField autoFocus {...text("title")} />
      <fieldset className="field" disabled={isBusy}>
        <legend className="flabel">Template</legend>
        <div className="template-grid">
          {templates.map((each) => (
            <TemplateChoice
              key={each.name}
              template={each}
              isChosen={each.name === template.value}
              onChoose={() => template.onChange(each.name)}
            />
          ))}
        </div>
      </fieldset>
      <DescriptionField {...text("description")} />
      <AccessField {...control("access")} isDisabled={isBusy} privateHelp="You can share it later" />
    </FormModal>
  );
}

type ChoiceProps = { template: Template; isChosen: boolean; onChoose: () => void };

function TemplateChoice({ template, isChosen, onChoose }: ChoiceProps) {
  const id = useId();
  const { thumbnail } = template as Template & { thumbnail?: string | null };
  return (
    <label className="template" htmlFor={id}>
      <input id={id} type="radio" name="template" checked={isChosen} onChange={onChoose} />
      <span className="app-thumb" aria-hidden="true">
        {thumbnail ? (
          // biome-ignore lint/performance/noImgElement: the server sends it in its final size
          <img src={thumbnail} alt="" />
        ) : (
          <AppWindow />
        )}
      </span>
      <span className="template-words">
        <b className="b5">{template.title}</b>
        <span className="xs t2">{template.description}</span>
      </span>
    </label>
  );
}
