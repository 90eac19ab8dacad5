import "server-only";
import type { Connection } from "mysql2";

const ERROR_PACKET = 0xff;
/** What announces the longest of the lengths that follow it (MySQL's documentation, "Protocol::LengthEncodedInteger"). */
const LENGTH_MARK_MAX = 0xfe;

type Packet = {
  sequenceId: number;
  peekByte(): number;
  readLengthCodedNumberExt(mark: number | undefined, ...rest: unknown[]): unknown;
};

// What the library's connection is made of; its own types leave these out.
type ConnectionInside = Connection & {
  sequenceId: number;
  stream: { destroy(): void };
  _paused: boolean;
  _command: object | undefined;
  _fatalError: Error | null;
  _handleFatalError(error: Error): void;
  handlePacket(packet?: Packet): void;
};

/** Packets are all of one kind. */
const guarded = new WeakSet<object>();

/**
 * A server whose packets are not numbered as the protocol says is no server any more (T47). The library goes on reading,
 * and writes a line about each of them past our log (T107): by millions, if the server likes.
 */
export function guardPackets(connection: Connection): void {
  const inside = connection as ConnectionInside;
  const handle = inside.handlePacket.bind(inside);
  inside.handlePacket = (packet) => {
    // Those of a paused line come here a second time.
    if (packet && !inside._paused && inside._command) {
      if (inside._fatalError) return;
      guardLengths(packet);
      // A server that gives up says so whenever it likes.
      if (packet.peekByte() === ERROR_PACKET) inside.sequenceId = packet.sequenceId;
      if (packet.sequenceId !== inside.sequenceId) {
        inside._handleFatalError(new Error("The server's packets are out of their order."));
        inside.stream.destroy();
        return;
      }
    }
    handle(packet);
  };
}

/** The library writes where it stands when a length begins as none does, and then throws. This only throws. */
function guardLengths(packet: Packet): void {
  const kind = Object.getPrototypeOf(packet) as Packet;
  if (guarded.has(kind)) return;
  guarded.add(kind);
  const read = kind.readLengthCodedNumberExt;
  kind.readLengthCodedNumberExt = function (mark, ...rest) {
    if (mark === undefined || mark > LENGTH_MARK_MAX) throw new Error("The server gives a length that is none.");
    return read.call(this, mark, ...rest);
  };
}
