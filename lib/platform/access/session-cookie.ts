/** Name of the session cookie, which clients depend on (docs/develop/api.md, Accounts). */
export const SESSION_COOKIE = "auth_session";
