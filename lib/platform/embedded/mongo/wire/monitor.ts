/** Counters for serverStatus and for leak tests. */
export class Monitor {
  connections = 0;
  totalConnections = 0;
  commands = 0;
  readonly byCommand = new Map<string, number>();

  note(command: string): void {
    this.commands++;
    this.byCommand.set(command, (this.byCommand.get(command) ?? 0) + 1);
  }
}
