"use client";

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { ExternalLink } from "lucide-react";
import { type ReactNode, useId, useState } from "react";
import { useWorkspace } from "@/components/layout/workspace-context";
import { EmbedFields } from "@/components/shares/embed-fields";
import { CalendarButton } from "@/components/ui/calendar-button";
import { ChoiceGroup } from "@/components/ui/choice-group";
import { Confirm } from "@/components/ui/confirm";
import { CopyButton } from "@/components/ui/copy-button";
import { FormFailure } from "@/components/ui/form-parts";
import { ListSkeleton } from "@/components/ui/list-skeleton";
import { LoadFailure } from "@/components/ui/load-failure";
import { Modal } from "@/components/ui/modal";
import { Notice } from "@/components/ui/notice";
import { TextField } from "@/components/ui/text-field";
import { toMessage } from "@/components/ui/to-message";
import { showToast } from "@/components/ui/toast";
import { useServerForm } from "@/components/ui/use-server-form";
import type { Access } from "@/lib/features/folders/schema";
import { findShareProblems, type ShareFields, toShareBody, toShareFields } from "@/lib/features/shares/browser/share-form"; // biome-ignore format: one look
import type { Share, ShareBody } from "@/lib/features/shares/schema";
import { formatDay } from "@/lib/platform/browser/format-time";
import "./shares.css";

/** Fields of the dialog by the request's fields. */
const FIELD_OF_PATH: Readonly<Record<string, "password" | "ends" | "embed">> = {
  password: "password",
  expiresAt: "ends",
  embed: "embed",
  embedOrigins: "embed",
};

/** The shared object, and the requests for its share. @throws ApiError */
export type Shared = {
  id: string;
  title: string;
  access: Access;
  /** Describes in a sentence what visitors see. */
  lead: string;
  /** Whether other sites may frame its page. */
  canEmbed: boolean;
  read: (signal: AbortSignal) => Promise<Share | null>;
  put: (body: ShareBody) => Promise<Share>;
  remove: () => Promise<unknown>;
  /** Other ways to send it out of the workspace, in the second half of the dialog. */
  beside?: ReactNode;
};

/** Manages the share link of an object, with a password and an expiry. The share can be ended at any time. */
export function ShareDialog({ shared, onClose }: { shared: Shared; onClose: () => void }) {
  const { workspace } = useWorkspace();
  const key = ["share", workspace.id, shared.id];
  const share = useQuery({
    queryKey: key,
    queryFn: ({ signal }) => shared.read(signal),
    // Another user may have changed it since it was last loaded.
    staleTime: 0,
    gcTime: 0,
  });
  if (share.data !== undefined) return <Form shared={shared} share={share.data} queryKey={key} onClose={onClose} />;
  return (
    <Modal title={`Share ${shared.title}`} isOpen onClose={onClose}>
      {share.isError ? (
        <LoadFailure error={share.error} onRetry={() => share.refetch()} />
      ) : (
        <ListSkeleton label="Loading sharing settings" />
      )}
    </Modal>
  );
}

type FormProps = { shared: Shared; share: Share | null; queryKey: readonly unknown[]; onClose: () => void };

function Form({ shared, share, queryKey, onClose }: FormProps) {
  const client = useQueryClient();
  const formId = useId();
  const [isStopping, setIsStopping] = useState(false);
  const server = useServerForm<ShareFields>({
    initial: toShareFields(share),
    fields: ["password", "ends", "embed"],
    fieldOf: (path) => FIELD_OF_PATH[path.split(".")[0] ?? ""] ?? null,
    check: (fields) => findShareProblems(fields, share, new Date()),
    send: async (fields, form) => {
      const news = await shared.put(toShareBody(fields, share, shared.canEmbed, new Date()));
      client.setQueryData(queryKey, news);
      form.reset({ ...fields, password: "", reach: toShareFields(news).reach });
      showToast(news.enabled ? "Anyone with the link can now view it." : "Only the workspace can view it now.");
    },
  });
  if (isStopping) {
    return (
      <StopSharing
        shared={shared}
        onStopped={() => {
          client.setQueryData(queryKey, null);
          server.form.reset({ ...server.form.getValues(), reach: "workspace", ends: "" });
          setIsStopping(false);
        }}
        onClose={() => setIsStopping(false)}
      />
    );
  }
  return (
    <Modal
      title={`Share ${shared.title}`}
      isOpen
      isDouble={shared.beside !== undefined}
      onClose={onClose}
      foot={
        <>
          {share !== null && (
            <button
              type="button"
              className="btn ghost danger share-stop"
              disabled={server.isBusy}
              onClick={() => setIsStopping(true)}
            >
              Stop sharing
            </button>
          )}
          {share?.enabled && (
            <a className="btn ghost" href={share.url} target="_blank" rel="noreferrer">
              <ExternalLink className="s" />
              View as visitor
            </a>
          )}
          <button type="submit" form={formId} className="btn primary" disabled={server.isBusy}>
            Save
          </button>
        </>
      }
    >
      <form {...server.formProps} id={formId} className="share-form">
        <p className="t2">{shared.lead}</p>
        <FormFailure text={server.failure} />
        <ShareFieldset shared={shared} share={share} server={server} />
        {share?.enabled && share.expiresAt !== null && new Date(share.expiresAt) <= new Date() && (
          <Notice kind="warn">
            Expired on {formatDay(new Date(share.expiresAt))}. Select a later date to reopen it.
          </Notice>
        )}
      </form>
      {shared.beside}
    </Modal>
  );
}

type ShareFieldsetProps = Pick<FormProps, "shared" | "share"> & {
  server: ReturnType<typeof useServerForm<ShareFields>>;
};

/** Access, password, expiry and embedding of a share, with its link. */
function ShareFieldset({ shared, share, server }: ShareFieldsetProps) {
  const { workspace } = useWorkspace();
  const { text, control, problemOf, isBusy } = server;
  const { value: reach } = control("reach");
  const embed = control("embed");
  const hasPassword = share?.hasPassword === true && reach === "password";
  return (
    <>
      <ChoiceGroup
        label="Access"
        {...control("reach")}
        isDisabled={isBusy}
        options={[
          {
            value: "workspace",
            label: shared.access === "private" ? "Only you" : `Everyone in ${workspace.name}`,
            help: shared.access === "private" ? "No link" : "Signed-in members",
          },
          {
            value: "password",
            label: "Anyone with the link and a password",
            help: "Locks for 15 minutes after 10 failed attempts",
          },
          { value: "link", label: "Anyone with the link", help: "No sign-in, no password" },
        ]}
      />
      {reach !== "workspace" && (
        <div className="share-more">
          {reach === "password" && (
            <TextField
              label={hasPassword ? "New password" : "Password"}
              type="password"
              autoComplete="new-password"
              isDense
              {...text("password")}
              help={hasPassword ? "Leave empty to keep it. A new password signs out current viewers." : undefined}
            />
          )}
          <TextField
            label="Expires"
            placeholder="YYYY-MM-DD"
            isDense
            {...text("ends")}
            end={<CalendarButton {...control("ends")} />}
            help="At the end of this day. Leave empty for no expiry."
          />
        </div>
      )}
      {share?.enabled && (
        <div className="share-link">
          <code className="trunc" title={share.url}>
            {share.url}
          </code>
          <CopyButton text={share.url} name="Copy link" />
        </div>
      )}
      {shared.canEmbed && reach !== "workspace" && (
        <EmbedFields
          isOn={embed.value.isOn}
          origins={embed.value.origins}
          onChange={(isOn, origins) => embed.onChange({ isOn, origins })}
          page={share?.enabled && share.embed ? { url: share.url, title: shared.title } : null}
          error={problemOf("embed")}
          isDisabled={isBusy}
        />
      )}
    </>
  );
}

type StopSharingProps = { shared: Shared; onStopped: () => void; onClose: () => void };

function StopSharing({ shared, onStopped, onClose }: StopSharingProps) {
  const stop = useMutation({
    mutationFn: shared.remove,
    onSuccess: () => {
      onStopped();
      showToast("The link no longer works.");
    },
  });
  return (
    <Confirm
      title="Stop sharing?"
      action="Stop sharing"
      isOpen
      isBusy={stop.isPending}
      failure={stop.isError ? toMessage(stop.error) : null}
      onConfirm={() => stop.mutate()}
      onClose={onClose}
    >
      The link stops working permanently. Sharing again creates a new link.
    </Confirm>
  );
}
