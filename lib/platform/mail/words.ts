/** Replaces a mail's text for a reader who may not grant the role of its link. */
export const WITHHELD_MAIL_TEXT = "Only owners can read this email. Its link grants the role of an owner.";
