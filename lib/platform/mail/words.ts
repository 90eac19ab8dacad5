/** Replaces a mail's text for a reader who may not grant the role of its link. */
export const WITHHELD_MAIL_TEXT =
  "Only an owner can read this mail: whoever has its link can become an owner of the workspace.";
