"use client";

import { BookOpen, KeyRound, Plus } from "lucide-react";
import Link from "next/link";
import { useState } from "react";
import { useWorkspace } from "@/components/layout/workspace-context";
import { ApiKeyRow } from "@/components/settings/api-key-row";
import { NewApiKey } from "@/components/settings/new-api-key";
import { keepNewKey, useNewKey } from "@/components/settings/one-time-secrets";
import { SecretBanner } from "@/components/settings/secret-banner";
import { SettingsPage } from "@/components/settings/settings-page";
import { TryApi } from "@/components/settings/try-api";
import { useApiKeys, useRights } from "@/components/settings/use-settings";
import { ListSkeleton } from "@/components/ui/list-skeleton";
import { ACTIONS, ListTable } from "@/components/ui/list-table";
import { LoadFailure } from "@/components/ui/load-failure";
import { LoadMore } from "@/components/ui/load-more";
import { Notice } from "@/components/ui/notice";
import { toCount } from "@/components/ui/use-pages";

const HEADS = ["Name", "Prefix", "Created by", { name: "Created", isOptional: true }, "Last used", "Expires", ACTIONS];

/** API keys of the workspace: created, reviewed and deleted by its admins. */
export function ApiKeySettings() {
  const { workspace } = useWorkspace();
  const { isAdmin } = useRights();
  const keys = useApiKeys();
  const fresh = useNewKey(workspace.id);
  const [isMaking, setIsMaking] = useState(false);
  const items = keys.data ?? [];
  const reference = (
    <Link className="btn" href="/docs/api">
      <BookOpen className="s" />
      API reference
    </Link>
  );
  if (!isAdmin) {
    return (
      <SettingsPage title="API keys" actions={reference}>
        <Notice kind="locked">Only owners and admins can view and create API keys.</Notice>
      </SettingsPage>
    );
  }
  const make = (
    <button type="button" className="btn primary" disabled={fresh !== null} onClick={() => setIsMaking(true)}>
      <Plus className="s" />
      New key
    </button>
  );
  const isEmpty = keys.isSuccess && items.length === 0;
  // An empty page offers the first key next to its explanation.
  const actions = (
    <>
      <Link className="btn" href={`/w/${workspace.slug}/settings/api-keys/mcp`}>
        Connect an MCP client
      </Link>
      {reference}
      {!isEmpty && make}
    </>
  );
  return (
    <SettingsPage title="API keys" count={toCount(keys)} actions={actions}>
      <p className="lead">
        A key works in this workspace with its creator's permissions. It can't manage members or keys.
      </p>
      {fresh && <SecretBanner name={fresh.name} secret={fresh.key} onSaved={() => keepNewKey(workspace.id, null)} />}
      {keys.isPending && <ListSkeleton label="Loading keys" rowPx={44} />}
      {keys.isError && !keys.data && <LoadFailure error={keys.error} onRetry={() => keys.refetch()} />}
      {isEmpty && (
        <div className="empty blank">
          <span className="empty-mark">
            <KeyRound />
          </span>
          <h2>No API keys yet</h2>
          <p>Use a key to run queries and read results from code.</p>
          <div className="row">{make}</div>
        </div>
      )}
      {items.length > 0 && (
        <ListTable label="API keys" columns={HEADS}>
          <tbody>
            {items.map((key) => (
              <ApiKeyRow key={key.id} apiKey={key} isNew={key.id === fresh?.id} />
            ))}
          </tbody>
        </ListTable>
      )}
      <LoadMore pages={keys} label="Show more" className="btn more" />
      {items.length > 0 && <TryApi />}
      <NewApiKey
        isOpen={isMaking}
        onClose={() => setIsMaking(false)}
        onMade={(key) => {
          keepNewKey(workspace.id, key);
          setIsMaking(false);
        }}
      />
    </SettingsPage>
  );
}
