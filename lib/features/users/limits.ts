/** Maximum length of a user's name, in characters. */
export const USER_NAME_MAX = 120;
