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
      <p className="lead">
        Programs that speak the Model Context Protocol get the agent's tools: they find tables, run queries that only
        read, and open consoles and flows.
      </p>
      {fresh && <SecretBanner name={fresh.name} secret={fresh.key} onSaved={() => keepNewKey(workspace.id, null)} />}
      <section className="part first-part" aria-labelledby="mcp-key">
        <h2 id="mcp-key">1. A key for the client</h2>
        {isAdmin ? (
          <>
            <p className="t2">
              One key, one workspace. It acts as you and sees what you see. A read key can change nothing; a full key
              also saves consoles and makes and starts flows.
            </p>
            <button type="button" className="btn mcp-make" disabled={fresh !== null} onClick={() => setIsMaking(true)}>
              <Plus className="s" />
              New key
            </button>
          </>
        ) : (
          <Notice kind="locked">You are a member here. Ask an owner or an admin for a key.</Notice>
        )}
      </section>
      <section className="part" aria-labelledby="mcp-lines">
        <div className="part-head between mcp-head">
          <h2 id="mcp-lines">2. Lines for your client</h2>
          <Segments label="Client" value={client} options={MCP_CLIENTS} onChange={setClient} />
        </div>
        <div className="card try">
          <div className="row try-head">
            <span className="mono t2 grow">{place}</span>
            <CopyButton text={text} label="Copy lines" className="btn ghost sm" />
          </div>
          <CodeBox label="Lines for the client">{text}</CodeBox>
        </div>
        <p className="help-line xs t3">
          {fresh ? "The key is filled in as long as this page is open." : `Put your key in the place of ${KEY_PLACE}.`}
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
      <h2 id="mcp-tools">What the client can do</h2>
      <ul className="mcp-tools">
        {names.map((name) => (
          <li key={name} className="row mono">
            <Check className="s may" />
            {name}
          </li>
        ))}
      </ul>
      <p className="help-line xs t3">
        Tools that write are listed for full keys alone. Schemas and saved consoles are there as resources, too.
      </p>
    </section>
  );
}
