"use client";

import { Plug } from "lucide-react";
import Link from "next/link";
import { useState } from "react";
import { useWorkspace } from "@/components/layout/workspace-context";
import { SettingsPage } from "@/components/settings/settings-page";
import { useChange, useConnectedApps, useMemberNames } from "@/components/settings/use-settings";
import { Confirm } from "@/components/ui/confirm";
import { CopyButton } from "@/components/ui/copy-button";
import { ListSkeleton } from "@/components/ui/list-skeleton";
import { ACTIONS, ListTable } from "@/components/ui/list-table";
import { LoadFailure } from "@/components/ui/load-failure";
import { LoadMore } from "@/components/ui/load-more";
import { PersonCell } from "@/components/ui/person";
import { toMessage } from "@/components/ui/to-message";
import { useIsAwake, useNow } from "@/components/ui/use-browser";
import { toCount } from "@/components/ui/use-pages";
import type { ConnectedApp } from "@/lib/features/accounts/connected-apps/schema";
import { workspaceApi } from "@/lib/features/workspaces/browser/client";
import { formatCount } from "@/lib/platform/browser/format";
import { formatAgo, formatDay, formatStamp } from "@/lib/platform/browser/format-time";

const AGE_EVERY_MS = 30_000;
const CALLS = "Calls, 30 days";
const HEADS = [
  "Client",
  "Permissions",
  "Person",
  { name: "Allowed", isOptional: true },
  "Last used",
  { name: CALLS, isNumber: true },
  ACTIONS,
];

/** Clients that use the workspace over MCP: admins see everyone's, members their own. */
export function ConnectedAppSettings() {
  const { workspace } = useWorkspace();
  const apps = useConnectedApps();
  const isAwake = useIsAwake();
  const items = apps.data ?? [];
  const address = isAwake ? `${window.location.origin}/api/mcp` : "";
  return (
    <SettingsPage title="Connected apps" count={toCount(apps)}>
      <p className="lead">Clients that use this workspace over MCP, each for one person.</p>
      {apps.isPending && <ListSkeleton label="Loading connected apps" rowPx={44} />}
      {apps.isError && !apps.data && <LoadFailure error={apps.error} onRetry={() => apps.refetch()} />}
      {apps.isSuccess && items.length === 0 && (
        <div className="empty blank">
          <span className="empty-mark">
            <Plug />
          </span>
          <h2>No connected apps yet</h2>
          <p>Add the server address to an MCP client and sign in.</p>
        </div>
      )}
      {items.length > 0 && (
        <>
          <ListTable label="Connected apps" columns={HEADS}>
            <tbody>
              {items.map((app) => (
                <AppRow key={app.id} app={app} />
              ))}
            </tbody>
          </ListTable>
          <LoadMore pages={apps} label="Show more" className="btn more" />
          <p className="help-line xs t3">
            Revoke ends access at once. Admins see everyone's clients, members their own.
          </p>
        </>
      )}
      <section className="part" aria-labelledby="mcp-address">
        <h2 id="mcp-address">Server address</h2>
        <div className="card try">
          <div className="row try-head">
            <span className="mono grow trunc">{address}</span>
            <CopyButton text={address} label="Copy address" className="btn ghost sm" />
          </div>
        </div>
        <p className="help-line xs t3">
          <Link href={`/w/${workspace.slug}/settings/api-keys/mcp`}>Use API key</Link>
        </p>
      </section>
    </SettingsPage>
  );
}

function AppRow({ app }: { app: ConnectedApp }) {
  const { workspace } = useWorkspace();
  const names = useMemberNames();
  const now = useNow(true, AGE_EVERY_MS);
  const [isAsking, setIsAsking] = useState(false);
  const revoke = useChange(["connected-apps"], () => workspaceApi.revokeConnectedApp(workspace.id, app.id));
  const used = app.lastUsedAt === null ? null : new Date(app.lastUsedAt);
  const allowed = new Date(app.createdAt);
  return (
    <tr>
      <td>
        <bdi className="b5">{app.name}</bdi> <span className="mono t3 xs">{app.host}</span>
      </td>
      <td data-label="Permissions">
        <span className="row app-scopes">
          {app.scopes.map((scope) => (
            <span key={scope} className="tag mono">
              {scope}
            </span>
          ))}
        </span>
      </td>
      <td data-label="Person">
        <PersonCell id={app.userId} name={names.get(app.userId) ?? (names.isLoading ? "" : "Former member")} />
      </td>
      <td className="t2 opt" data-label="Allowed" title={now === null ? undefined : formatStamp(allowed)}>
        {now !== null && formatDay(allowed)}
      </td>
      <td className="t2" data-label="Last used" title={now === null || used === null ? undefined : formatStamp(used)}>
        {now !== null && (used === null ? "Never used" : formatAgo(used, new Date(now)))}
      </td>
      <td className="t2 r" data-label={CALLS}>
        {formatCount(app.calls)}
      </td>
      <td className="r">
        <button
          type="button"
          className="btn ghost sm danger"
          aria-label={`Revoke ${app.name}`}
          onClick={() => setIsAsking(true)}
        >
          Revoke
        </button>
        <Confirm
          title={`Revoke ${app.name}?`}
          action="Revoke access"
          isOpen={isAsking}
          isBusy={revoke.isPending || revoke.isSuccess}
          failure={revoke.isError ? toMessage(revoke.error) : null}
          onConfirm={() => revoke.mutate(undefined)}
          onClose={() => {
            setIsAsking(false);
            revoke.reset();
          }}
        >
          <p>Its requests fail from now on. The client can ask for access again.</p>
        </Confirm>
      </td>
    </tr>
  );
}
