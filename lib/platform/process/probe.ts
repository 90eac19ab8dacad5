import { connect, type Socket } from "node:net";

/** Timeout in ms. A live service accepts at once; a longer wait only delays the start of a new one. */
const CONNECT_TIMEOUT_MS = 2000;

/** Connects to a service's socket. @returns the open connection, or null if no process listens there */
export function connectIfLive(socketPath: string): Promise<Socket | null> {
  return new Promise((resolve) => {
    const socket = connect(socketPath);
    const giveUp = () => {
      socket.destroy();
      resolve(null);
    };
    const timer = setTimeout(giveUp, CONNECT_TIMEOUT_MS);
    socket.once("error", giveUp);
    socket.once("connect", () => {
      clearTimeout(timer);
      socket.off("error", giveUp);
      // A reset counts as an end: "close" follows it.
      socket.on("error", () => {});
      resolve(socket);
    });
    socket.once("close", () => clearTimeout(timer));
  });
}
