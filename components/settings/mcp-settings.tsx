"use client";

import { useQuery } from "@tanstack/react-query";
import { Check, ChevronLeft, Plus } from "lucide-react";
import Link from "next/link";
import { useState } from "react";
import { useWorkspace } from "@/components/layout/workspace-context";
import { NewApiKey } from "@/components/settings/new-api-key";
import { keepNewKey, useNewKey } from "@/components/settings/one-time-secrets";
import { SecretBanner } from "@/components/settings/secret-banner";
import { SettingsPage } from "@/components/settings/settings-page";
import { useRights } from "@/components/settings/use-settings";
import { CodeBox } from "@/components/ui/code-box";
import { CopyButton } from "@/components/ui/copy-button";
import { Notice } from "@/components/ui/notice";
import { Segments } from "@/components/ui/segments";
import { useIsAwake } from "@/components/ui/use-browser";
import { agentApi } from "@/lib/features/agent/browser/client";
import { KEY_PLACE, MCP_CLIENTS, type McpClient, toMcpLines } from "@/lib/features/agent/browser/mcp-lines";

/** Tools of a chat's turn, which are of no use to clients. */
const CHAT_ONLY = new Set(["propose_plan"]);

/** Explains how another program's agent gets the tools of this workspace: a key, and the lines to paste. */
export function McpSettings() {
  const { workspace } = useWorkspace();
  const { isAdmin } = useRights();
  const fresh = useNewKey(workspace.id);
  const isAwake = useIsAwake();
  const [client, setClient] = useState<McpClient>("claude");
  const [isMaking, setIsMaking] = useState(false);
  const origin = isAwake ? window.location.origin : "";
  const { place, text } = toMcpLines(client, { origin, slug: workspace.slug, key: fresh?.key ?? null });
  return (
    <SettingsPage
      title="Connect an MCP client"
      actions={
        <Link className="btn" href={`/w/${workspace.slug}/settings/api-keys`}>
          <ChevronLeft className="s" />
          API keys
        </Link>
      }
    >
      <p className="lead">MCP clients can search tables, run read-only queries, and open consoles and flows.</p>
      <p className="t2">
        A client that can sign in needs only the address under{" "}
        <Link href={`/w/${workspace.slug}/settings/connected-apps`}>Connected apps</Link>. Other clients need a key.
      </p>
      {fresh && <SecretBanner name={fresh.name} secret={fresh.key} onSaved={() => keepNewKey(workspace.id, null)} />}
      <section className="part first-part" aria-labelledby="mcp-key">
        <h2 id="mcp-key">1. Create an API key</h2>
        {isAdmin ? (
          <>
            <p className="t2">
              The key has your permissions in this workspace. Read-only keys can't change anything. Keys with full
              access can create, change and delete items.
            </p>
            <button type="button" className="btn mcp-make" disabled={fresh !== null} onClick={() => setIsMaking(true)}>
              <Plus className="s" />
              New key
            </button>
          </>
        ) : (
          <Notice kind="locked">Only owners and admins can create keys.</Notice>
        )}
      </section>
      <section className="part" aria-labelledby="mcp-lines">
        <div className="part-head between mcp-head">
          <h2 id="mcp-lines">2. Configure your client</h2>
          <Segments label="Client" value={client} options={MCP_CLIENTS} onChange={setClient} />
        </div>
        <div className="card try">
          <div className="row try-head">
            <span className="mono t2 grow">{place}</span>
            <CopyButton text={text} label="Copy config" className="btn ghost sm" />
          </div>
          <CodeBox label="Client configuration">{text}</CodeBox>
        </div>
        <p className="help-line xs t3">
          {fresh ? "Your key is filled in until you leave this page." : `Replace ${KEY_PLACE} with your key.`}
        </p>
      </section>
      <Tools />
      <NewApiKey
        isOpen={isMaking}
        access="read"
        onClose={() => setIsMaking(false)}
        onMade={(key) => {
          keepNewKey(workspace.id, key);
          setIsMaking(false);
        }}
      />
    </SettingsPage>
  );
}

function Tools() {
  const { data = [] } = useQuery({ queryKey: ["agent-modes"], queryFn: ({ signal }) => agentApi.listAgents(signal) });
  const names = [...new Set(data.flatMap(({ tools }) => tools))].filter((name) => !CHAT_ONLY.has(name));
  if (names.length === 0) return null;
  return (
    <section className="part" aria-labelledby="mcp-tools">
      <h2 id="mcp-tools">Tools</h2>
      <ul className="mcp-tools">
        {names.map((name) => (
          <li key={name} className="row mono">
            <Check className="s may" />
            {name}
          </li>
        ))}
      </ul>
      <p className="help-line xs t3">
        Write tools require a key with full access. Schemas and consoles are also available as resources.
      </p>
    </section>
  );
}
