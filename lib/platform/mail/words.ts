/** In the place of a mail's text, for who may not give the role that its link gives. */
export const WITHHELD_MAIL_TEXT =
  "Only an owner can read this mail: whoever has its link can become an owner of the workspace.";
