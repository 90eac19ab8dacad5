import { z } from "zod";
import { SCOPES } from "@/lib/platform/access/caller";
import { boundedText, isoDate, objectIdText } from "@/lib/platform/http/schema";

const PARAMETER_MAX = 2000;
const parameter = boundedText(PARAMETER_MAX).optional();

/** The parameters of an authorization request (RFC 6749, 4.1.1; RFC 7636; RFC 8707) that this server reads. */
export const authorizationParameters = z.object({
  response_type: parameter,
  client_id: parameter,
  redirect_uri: parameter,
  scope: parameter,
  state: parameter,
  code_challenge: parameter,
  code_challenge_method: parameter,
  resource: parameter,
});
export type AuthorizationParameters = z.infer<typeof authorizationParameters>;

export const authorizationDecisionBody = z.object({
  request: authorizationParameters,
  workspaceId: objectIdText,
  scopes: z.array(z.enum(SCOPES)).max(SCOPES.length),
  isAllowed: z.boolean(),
});
export type AuthorizationDecisionBody = z.infer<typeof authorizationDecisionBody>;

export const authorizationDecisionSchema = z.object({
  redirectTo: z.string().describe("Address of the client, with a code or an error"),
});
export type AuthorizationDecision = z.infer<typeof authorizationDecisionSchema>;

export const connectedAppSchema = z.object({
  id: objectIdText,
  clientId: z.string(),
  name: z.string().describe("As the client registered itself"),
  host: z.string().describe("Where the client receives its codes"),
  scopes: z.array(z.enum(SCOPES)),
  userId: objectIdText.describe("Person whose permissions it has"),
  createdAt: isoDate,
  lastUsedAt: isoDate.nullable(),
  calls: z.int().nonnegative().describe("Tool calls in the last 30 days, written within seconds"),
  expiresAt: isoDate.describe("End of access if the client is not used until then"),
});
export type ConnectedApp = z.infer<typeof connectedAppSchema>;

/** An error in the protocol's own form (RFC 6749, 5.2). */
export const oauthError = z.object({ error: z.string(), error_description: z.string() });
export const registeredClient = z.looseObject({ client_id: z.string(), redirect_uris: z.array(z.string()) });
export const issuedTokens = z.object({
  access_token: z.string(),
  token_type: z.literal("Bearer"),
  expires_in: z.number().describe("Seconds"),
  refresh_token: z.string(),
  scope: z.string(),
});
