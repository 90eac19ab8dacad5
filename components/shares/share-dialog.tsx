"use client";

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { ExternalLink } from "lucide-react";
import { type ReactNode, useState } from "react";
import { useWorkspace } from "@/components/layout/workspace-context";
import { EmbedFields } from "@/components/shares/embed-fields";
import { ChoiceGroup } from "@/components/ui/choice-group";
import { Confirm } from "@/components/ui/confirm";
import { CopyButton } from "@/components/ui/copy-button";
import { ListSkeleton } from "@/components/ui/list-skeleton";
import { LoadFailure } from "@/components/ui/load-failure";
import { Modal } from "@/components/ui/modal";
import { Notice } from "@/components/ui/notice";
import { problemsOf } from "@/components/ui/problems-of";
import { TextField } from "@/components/ui/text-field";
import { toMessage } from "@/components/ui/to-message";
import { showToast } from "@/components/ui/toast";
import { toEndOfDay } from "@/lib/features/accounts/browser/lifetimes";
import type { Access } from "@/lib/features/folders/schema";
import type { Share, ShareBody } from "@/lib/features/shares/schema";
import { formatDay } from "@/lib/platform/browser/format-time";
import "./shares.css";

type Reach = "workspace" | "password" | "link";
type Problems = { password?: string; ends?: string; embed?: string };

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
  const { workspace } = useWorkspace();
  const client = useQueryClient();
  const [reach, setReach] = useState<Reach>(reachOf(share));
  const [password, setPassword] = useState("");
  const [ends, setEnds] = useState(share?.expiresAt ? toDay(share.expiresAt) : "");
  const [embed, setEmbed] = useState<{ isOn: boolean; origins: readonly string[] }>({
    isOn: share?.embed ?? false,
    origins: share?.embedOrigins ?? [],
  });
  const [problems, setProblems] = useState<Problems>({});
  const [failure, setFailure] = useState<string | null>(null);
  const [isBusy, setIsBusy] = useState(false);
  const [isStopping, setIsStopping] = useState(false);
  const hasPassword = share?.hasPassword === true && reach === "password";

  const save = async () => {
    const found: Problems = {};
    if (reach === "password" && password === "" && !hasPassword)
      found.password = "Enter a password of at least 8 characters.";
    let expiresAt: string | null = null;
    try {
      // An unchanged expiry is not validated again: its day may be of another zone.
      if (ends !== "")
        expiresAt =
          share?.expiresAt && toDay(share.expiresAt) === ends ? share.expiresAt : toEndOfDay(ends, new Date());
    } catch (error) {
      found.ends = toMessage(error);
    }
    if (reach !== "workspace" && embed.isOn && embed.origins.length === 0) found.embed = "Add at least one site.";
    setProblems(found);
    setFailure(null);
    if (found.password ?? found.ends ?? found.embed) return;
    setIsBusy(true);
    try {
      const news = await shared.put({
        ...toBody(reach, password, expiresAt),
        ...(shared.canEmbed && reach !== "workspace" && { embed: embed.isOn, embedOrigins: [...embed.origins] }),
      });
      client.setQueryData(queryKey, news);
      setPassword("");
      setReach(reachOf(news));
      showToast(news.enabled ? "Anyone with the link can now view it." : "Only the workspace can view it now.");
    } catch (error) {
      const said = problemsOf(error, ["password", "expiresAt", "embedOrigins", "embed"]);
      setProblems({ password: said.password, ends: said.expiresAt, embed: said.embedOrigins ?? said.embed });
      if (Object.keys(said).length === 0) setFailure(toMessage(error));
    } finally {
      setIsBusy(false);
    }
  };
  const stop = async () => {
    setFailure(null);
    setIsBusy(true);
    try {
      await shared.remove();
      client.setQueryData(queryKey, null);
      setIsStopping(false);
      setReach("workspace");
      setEnds("");
      showToast("The link no longer works.");
    } catch (error) {
      setFailure(toMessage(error));
    } finally {
      setIsBusy(false);
    }
  };
  if (isStopping) {
    return (
      <Confirm
        title="Stop sharing?"
        action="Stop sharing"
        isOpen
        isBusy={isBusy}
        failure={failure}
        onConfirm={() => void stop()}
        onClose={() => setIsStopping(false)}
      >
        The link stops working permanently. Sharing again creates a new link.
      </Confirm>
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
              disabled={isBusy}
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
          <button type="button" className="btn primary" disabled={isBusy} onClick={() => void save()}>
            Save
          </button>
        </>
      }
    >
      <div className="share-form">
        <p className="t2">{shared.lead}</p>
        {failure !== null && (
          <Notice kind="bad" role="alert">
            {failure}
          </Notice>
        )}
        <ChoiceGroup
          label="Access"
          value={reach}
          onChange={setReach}
          isDisabled={isBusy}
          options={[
            {
              value: "workspace",
              label: shared.access === "private" ? "Only you" : `Everyone in ${workspace.name}`,
              help: "Signed-in members",
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
                value={password}
                onChange={({ target }) => setPassword(target.value)}
                error={problems.password}
                help={hasPassword ? "Leave empty to keep it. A new password signs out current viewers." : undefined}
              />
            )}
            <TextField
              label="Expires"
              type="date"
              isDense
              value={ends}
              onChange={({ target }) => setEnds(target.value)}
              error={problems.ends}
              help="At the end of this day. Leave empty for never."
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
            isOn={embed.isOn}
            origins={embed.origins}
            onChange={(isOn, origins) => {
              setProblems({ ...problems, embed: undefined });
              setEmbed({ isOn, origins });
            }}
            page={share?.enabled && share.embed ? { url: share.url, title: shared.title } : null}
            error={problems.embed}
            isDisabled={isBusy}
          />
        )}
        {share?.enabled && share.expiresAt !== null && new Date(share.expiresAt) <= new Date() && (
          <Notice kind="warn">
            Expired on {formatDay(new Date(share.expiresAt))}. Select a later date to reopen it.
          </Notice>
        )}
      </div>
      {shared.beside}
    </Modal>
  );
}

function reachOf(share: Share | null): Reach {
  if (!share?.enabled) return "workspace";
  return share.hasPassword ? "password" : "link";
}

function toBody(reach: Reach, password: string, expiresAt: string | null): ShareBody {
  if (reach === "workspace") return { enabled: false };
  if (reach === "link") return { enabled: true, password: null, expiresAt };
  return { enabled: true, ...(password !== "" && { password }), expiresAt };
}

/** Formats a date for a date field, in this device's zone. */
function toDay(text: string): string {
  const at = new Date(text);
  const two = (part: number) => String(part).padStart(2, "0");
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
}
