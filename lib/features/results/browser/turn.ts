/** Time after which a long computation yields, in ms: half a frame. */
const TURN_AFTER_MS = 8;

/** Returns whether a computation should yield. @param since start of its turn, by `performance.now` */
export function isTurnDue(since: number): boolean {
  return performance.now() - since > TURN_AFTER_MS;
}

/** Yields to pending messages; a browser timer would wait four milliseconds each time. */
export function turn(): Promise<void> {
  return new Promise((resolve) => {
    const channel = new MessageChannel();
    channel.port1.onmessage = () => {
      channel.port1.close();
      resolve();
    };
    channel.port2.postMessage(null);
  });
}
