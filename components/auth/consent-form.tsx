"use client";

import { ArrowRight, ShieldCheck } from "lucide-react";
import { useState } from "react";
import { FormFailure } from "@/components/ui/form-parts";
import { LabelledSelect } from "@/components/ui/labelled-select";
import { toMessage } from "@/components/ui/to-message";
import { Wheel } from "@/components/ui/wheel";
import { authApi } from "@/lib/features/accounts/browser/auth";
import type { AuthorizationParameters } from "@/lib/features/accounts/connected-apps/schema";
import type { Scope } from "@/lib/platform/access/caller";
import "./consent.css";

const SCOPE_WORDS: Record<Scope, { name: string; help: string }> = {
  read: { name: "Read", help: "See schemas, consoles and metrics. Run read-only queries." },
  write: { name: "Write", help: "Save consoles and metrics. Run flows." },
  build: { name: "Build", help: "Create flows. Save dashboards. Set schedules and notification rules." },
};

type ConsentFormProps = {
  clientName: string;
  host: string;
  /** Permissions that the client asks for. */
  scopes: Scope[];
  workspaces: { id: string; name: string }[];
  email: string;
  request: AuthorizationParameters;
  /** Path of this page with its query. */
  self: string;
};

/** Asks whether a client may use a workspace, and sends the browser back to the client. */
export function ConsentForm({ clientName, host, scopes, workspaces, email, request, self }: ConsentFormProps) {
  const [workspaceId, setWorkspaceId] = useState(workspaces[0]?.id ?? "");
  const [chosen, setChosen] = useState<Scope[]>(scopes.filter((scope) => scope !== "build"));
  const [failure, setFailure] = useState<string | null>(null);
  const [isBusy, setIsBusy] = useState(false);
  const [isSent, setIsSent] = useState(false);
  const decide = async (isAllowed: boolean) => {
    setFailure(null);
    setIsBusy(true);
    try {
      const { redirectTo } = await authApi.decideAuthorization({ request, workspaceId, scopes: chosen, isAllowed });
      setIsSent(true);
      window.location.assign(redirectTo);
    } catch (error) {
      setFailure(toMessage(error));
      setIsBusy(false);
    }
  };
  const switchAccount = async () => {
    try {
      await authApi.logout();
      window.location.assign(`/login?next=${encodeURIComponent(self)}`);
    } catch (error) {
      setFailure(toMessage(error));
    }
  };
  return (
    <main className="consent">
      <section className="card consent-card" aria-labelledby="consent-title">
        <div className="consent-body">
          <div className="row consent-marks" aria-hidden="true">
            <span className="consent-mark">{[...clientName][0]?.toUpperCase()}</span>
            <ArrowRight className="t3" />
            <span className="consent-mark ours">
              <Wheel />
            </span>
          </div>
          <h1 id="consent-title">
            Allow <bdi>{clientName}</bdi> to use Millrace?
          </h1>
          <p className="t2 xs consent-lead">
            Unverified client. After Allow you return to <b className="mono b6">{host}</b>
          </p>
          <FormFailure text={failure} />
          {isSent && (
            <p className="t2 xs consent-lead" role="status">
              Decision sent. Continue in the client; you can close this page.
            </p>
          )}
          <LabelledSelect
            label="Workspace"
            size="md"
            value={workspaceId}
            onChange={setWorkspaceId}
            options={workspaces.map(({ id, name }) => ({ value: id, label: name }))}
          />
          <fieldset className="field consent-scopes">
            <legend className="flabel">Permissions</legend>
            {scopes.map((scope) => (
              <label key={scope} className="consent-scope">
                <input
                  type="checkbox"
                  checked={chosen.includes(scope)}
                  disabled={scope === "read"}
                  onChange={({ target }) =>
                    setChosen(scopes.filter((each) => (each === scope ? target.checked : chosen.includes(each))))
                  }
                />
                <span>
                  <b className="b6">{SCOPE_WORDS[scope].name}</b> <span className="tag mono">{scope}</span>{" "}
                  {scope === "read" && <span className="xs t3">required</span>}
                  <span className="xs t2 consent-help">{SCOPE_WORDS[scope].help}</span>
                </span>
              </label>
            ))}
          </fieldset>
          <p className="xs t2 row consent-note">
            <ShieldCheck className="s t3" />
            It can do only what you can do. It never sees passwords.
          </p>
          <div className="consent-actions">
            <button type="button" className="btn lg" disabled={isBusy} onClick={() => decide(false)}>
              Deny
            </button>
            <button type="button" className="btn primary lg" disabled={isBusy} onClick={() => decide(true)}>
              Allow {inWords(chosen)}
            </button>
          </div>
        </div>
        <footer className="row consent-foot xs">
          <span className="t2 grow trunc">
            Signed in as <b className="b5">{email}</b>
          </span>
          <button type="button" className="link" onClick={switchAccount}>
            Switch account
          </button>
        </footer>
      </section>
      <p className="xs t3">Expires after 90 days without use. Revoke it in Settings, Connected apps.</p>
    </main>
  );
}

function inWords(scopes: readonly Scope[]): string {
  return scopes.length < 2 ? scopes.join("") : `${scopes.slice(0, -1).join(", ")} and ${scopes.at(-1)}`;
}
