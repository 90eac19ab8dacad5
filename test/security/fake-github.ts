import { createHash, randomBytes } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { readText, startLocalServer } from "./local-server";

type Email = { email: string; primary: boolean; verified: boolean };
export type GitHubUser = { id: number; login: string; name: string | null; emails: Email[] };

export type FakeGitHub = {
  /** The value of GITHUB_API_URL. */
  apiUrl: string;
  clientId: string;
  clientSecret: string;
  /** All issued access tokens: secrets that must not be found anywhere later. */
  accessTokens: string[];
  /** Acts as a user at GitHub who opens the page and agrees. @returns the callback URL */
  agree: (authorizeUrl: string, user: GitHubUser) => string;
  /** Messages about requests that broke the protocol. */
  complaints: string[];
  close: () => Promise<void>;
};

type Grant = { user: GitHubUser; challenge: string; redirectUri: string };

/** Starts a local GitHub Enterprise: the code flow with PKCE, the user and their addresses. */
export async function startFakeGitHub(): Promise<FakeGitHub> {
  const clientId = "Iv1.0123456789abcdef";
  const clientSecret = randomBytes(20).toString("hex");
  const grants = new Map<string, Grant>();
  const signedIn = new Map<string, GitHubUser>();
  const accessTokens: string[] = [];
  const complaints: string[] = [];

  async function exchange(request: IncomingMessage): Promise<[status: number, body: unknown]> {
    const form = new URLSearchParams(await readText(request));
    const credentials = Buffer.from((request.headers.authorization ?? "").replace(/^Basic /, ""), "base64").toString();
    if (credentials !== `${encodeURIComponent(clientId)}:${clientSecret}`) {
      complaints.push("the client did not say who it is");
      return [401, { error: "invalid_client" }];
    }
    const code = form.get("code") ?? "";
    const grant = grants.get(code);
    grants.delete(code);
    const challenge = createHash("sha256")
      .update(form.get("code_verifier") ?? "")
      .digest("base64url");
    if (!grant || grant.challenge !== challenge || grant.redirectUri !== form.get("redirect_uri")) {
      complaints.push("a code was used by another user, twice, or with another URL");
      return [400, { error: "invalid_grant" }];
    }
    const token = `gho_${randomBytes(18).toString("hex")}`;
    accessTokens.push(token);
    signedIn.set(token, grant.user);
    return [200, { access_token: token, token_type: "bearer", scope: "read:user,user:email" }];
  }

  function read(request: IncomingMessage, what: (user: GitHubUser) => unknown): [number, unknown] {
    const user = signedIn.get((request.headers.authorization ?? "").replace(/^Bearer /i, ""));
    return user ? [200, what(user)] : [401, { message: "Bad credentials" }];
  }

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const routes: Record<string, () => [number, unknown] | Promise<[number, unknown]>> = {
      "POST /login/oauth/access_token": () => exchange(request),
      "GET /api/v3/user": () => read(request, ({ id, login, name }) => ({ id, login, name, email: null })),
      "GET /api/v3/user/emails": () => read(request, ({ emails }) => emails),
    };
    const [status, body] = (await routes[`${request.method} ${request.url}`]?.()) ?? [404, { message: "Not Found" }];
    response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(body));
  };
  const server = await startLocalServer((request, response) => void serve(request, response));

  return {
    apiUrl: `${server.url}/api/v3`,
    clientId,
    clientSecret,
    accessTokens,
    complaints,
    agree: (authorizeUrl, user) => {
      const url = new URL(authorizeUrl);
      const asked = url.searchParams;
      if (url.origin + url.pathname !== `${server.url}/login/oauth/authorize` || asked.get("client_id") !== clientId) {
        throw new Error(`This is not the way to this GitHub: ${authorizeUrl}`);
      }
      const code = randomBytes(10).toString("hex");
      const redirectUri = asked.get("redirect_uri") ?? "";
      grants.set(code, { user, challenge: asked.get("code_challenge") ?? "", redirectUri });
      const back = new URL(redirectUri);
      back.searchParams.set("code", code);
      const state = asked.get("state");
      if (state !== null) back.searchParams.set("state", state);
      return back.href;
    },
    close: server.close,
  };
}
