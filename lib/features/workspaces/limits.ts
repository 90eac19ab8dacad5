/** Maximum length of a workspace's name, in characters. */
export const WORKSPACE_NAME_MAX = 80;
/**
 * Minimum time between two writes of a member's last activity. The date is for people, and most requests write nothing.
 */
export const SEEN_EVERY_SECONDS = 3 * 60;
/**
 * Maximum time since the last activity of a member who counts as present: longer than the time between two writes, with
 * a moment to read and think.
 */
export const THERE_SECONDS = 5 * 60;
