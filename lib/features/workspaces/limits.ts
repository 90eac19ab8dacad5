/** Of a workspace's name, in characters. */
export const WORKSPACE_NAME_MAX = 80;
/** How often it is written that a member is there, at the most: the date is for people, and most requests write nothing. */
export const SEEN_EVERY_SECONDS = 3 * 60;
/** Whoever was seen within this time is there: longer than what lies between two notes, with a moment to read and think. */
export const THERE_SECONDS = 5 * 60;
