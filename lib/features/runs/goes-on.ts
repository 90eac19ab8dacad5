/** Reason to stop a run that continues on another server: the current holder leaves all state unchanged. */
export class RunGoesOn extends Error {}
