import type { LoginAnswer, LoginBody, RegisterAnswer, RegisterBody } from "@/lib/features/accounts/schema";
import { send } from "@/lib/platform/browser/request";

/** Requests for signing up, in and out. Each function throws ApiError. */
export const authApi = {
  register: (body: RegisterBody) => send<RegisterAnswer>("POST", "/api/auth/register", { body }),
  login: (body: LoginBody) => send<LoginAnswer>("POST", "/api/auth/login", { body }),
  logout: () => send<unknown>("POST", "/api/auth/logout", { body: {} }),
};
