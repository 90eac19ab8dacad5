/** Name of the session cookie, which clients know (docs/develop/api.md, Accounts). */
export const SESSION_COOKIE = "auth_session";
