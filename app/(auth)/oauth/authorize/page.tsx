import { Unplug } from "lucide-react";
import type { Metadata } from "next";
import { redirect } from "next/navigation";
import { ConsentForm } from "@/components/auth/consent-form";
import { LonePage } from "@/components/ui/lone-page";
import { checkAuthorization } from "@/lib/features/accounts/connected-apps/authorization-server";
import { hostOf } from "@/lib/features/accounts/connected-apps/redirect-uri";
import { authorizationParameters } from "@/lib/features/accounts/connected-apps/schema";
import { getPageSession } from "@/lib/features/accounts/page-session";

export const metadata: Metadata = { title: "Allow access" };

const INVALID = { kind: "refused", message: "The authorization request is invalid." } as const;

type Search = Record<string, string | string[] | undefined>;

/** Asks a person whether a client may use a workspace (RFC 6749, 4.1.1). */
export default async function AuthorizePage({ searchParams }: { searchParams: Promise<Search> }) {
  const search = await searchParams;
  const session = await getPageSession();
  const given = Object.entries(search).flatMap(([name, value]) => (typeof value === "string" ? [[name, value]] : []));
  const self = `/oauth/authorize?${new URLSearchParams(given as [string, string][])}`;
  const { data: request = {}, success } = authorizationParameters.safeParse(search);
  const checked = success ? await checkAuthorization(request) : INVALID;
  if (checked.kind !== "asked") {
    return (
      <LonePage icon={<Unplug />} title="Couldn't connect the client" text={checked.message}>
        {/* Anyone registers a client: a link to this page must not redirect (RFC 9700, 4.11.2). */}
        {checked.kind === "returned" && (
          <a className="btn" href={checked.redirectTo}>
            Return to {hostOf(checked.redirectTo)}
          </a>
        )}
        <a className="btn" href="/">
          Open Millrace
        </a>
      </LonePage>
    );
  }
  if (session === null) redirect(`/login?next=${encodeURIComponent(self)}`);
  if (session.workspaces.length === 0) redirect("/new-workspace");
  const { client, scopes, redirectUri } = checked;
  return (
    <ConsentForm
      clientName={client.name}
      host={hostOf(redirectUri)}
      scopes={scopes}
      workspaces={session.workspaces.map(({ id, name }) => ({ id, name }))}
      email={session.user.email}
      request={request}
      self={self}
    />
  );
}
