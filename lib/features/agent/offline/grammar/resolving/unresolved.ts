import type { Choice } from "../../choice";

/** A question without one certain meaning. */
export class Unresolved extends Error {
  readonly choice: Choice | null;

  constructor(choice: Choice | null = null) {
    super("no certain meaning");
    this.choice = choice;
  }
}
