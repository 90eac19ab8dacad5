/** Why a run is stopped that goes on elsewhere: whoever carries it out leaves everything as it is. */
export class RunGoesOn extends Error {}
