/** Counts the commands that the store has run. */
export class Monitor {
  commands = 0;
}
