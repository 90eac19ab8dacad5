import type { AuthorizationDecision, AuthorizationDecisionBody } from "@/lib/features/accounts/connected-apps/schema";
import type { LoginAnswer, LoginBody, RegisterAnswer, RegisterBody } from "@/lib/features/accounts/schema";
import { send } from "@/lib/platform/browser/request";

/** Requests for signing up, in and out. Each function throws ApiError. */
export const authApi = {
  register: (body: RegisterBody) => send<RegisterAnswer>("POST", "/api/auth/register", { body }),
  login: (body: LoginBody) => send<LoginAnswer>("POST", "/api/auth/login", { body }),
  decideAuthorization: (body: AuthorizationDecisionBody) =>
    send<AuthorizationDecision>("POST", "/api/oauth/authorize", { body }),
  logout: () => send<unknown>("POST", "/api/auth/logout", { body: {} }),
};
