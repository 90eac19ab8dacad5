import type { OAuthClientProvider } from "@modelcontextprotocol/sdk/client/auth.js";
import type { OAuthClientInformationMixed, OAuthTokens } from "@modelcontextprotocol/sdk/shared/auth.js";

/** State of a stock client that signs in through a browser: what it would keep on disk. */
export class ClientMemory implements OAuthClientProvider {
  readonly clientMetadata;
  client: OAuthClientInformationMixed | undefined;
  saved: OAuthTokens | undefined;
  verifier = "";
  /** Address that the client asked the browser to open. */
  opened: URL | undefined;

  constructor(
    readonly redirectUrl = "http://localhost:9911/callback",
    name = "Desk Assistant",
  ) {
    this.clientMetadata = { client_name: name, redirect_uris: [redirectUrl] };
  }
  clientInformation() {
    return this.client;
  }
  saveClientInformation(client: OAuthClientInformationMixed) {
    this.client = client;
  }
  tokens() {
    return this.saved;
  }
  saveTokens(tokens: OAuthTokens) {
    this.saved = tokens;
  }
  redirectToAuthorization(url: URL) {
    this.opened = url;
  }
  saveCodeVerifier(verifier: string) {
    this.verifier = verifier;
  }
  codeVerifier() {
    return this.verifier;
  }
}
