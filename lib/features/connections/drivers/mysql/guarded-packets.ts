import "server-only";
import type { Connection } from "mysql2";

const ERROR_PACKET = 0xff;
/** The prefix of the longest length encoding (MySQL's documentation, "Protocol::LengthEncodedInteger"). */
const LENGTH_MARK_MAX = 0xfe;

type Packet = {
  sequenceId: number;
  peekByte(): number;
  readLengthCodedNumberExt(mark: number | undefined, ...rest: unknown[]): unknown;
};

// Internals of the library's connection, which its types omit.
type ConnectionInside = Connection & {
  sequenceId: number;
  stream: { destroy(): void };
  _paused: boolean;
  _command: object | undefined;
  _fatalError: Error | null;
  _handleFatalError(error: Error): void;
  handlePacket(packet?: Packet): void;
};

/** Prototypes that are already guarded; all packets share one. */
const guarded = new WeakSet<object>();

/**
 * Closes a connection whose packets are not numbered by the protocol, since the peer is then no MySQL server (T47). The
 * library would continue reading, and log a line for each past our log (T107), possibly millions.
 */
export function guardPackets(connection: Connection): void {
  const inside = connection as ConnectionInside;
  const handle = inside.handlePacket.bind(inside);
  inside.handlePacket = (packet) => {
    // Packets of a paused connection come here a second time.
    if (packet && !inside._paused && inside._command) {
      if (inside._fatalError) return;
      guardLengths(packet);
      // A failing server may send an error at any sequence number.
      if (packet.peekByte() === ERROR_PACKET) inside.sequenceId = packet.sequenceId;
      if (packet.sequenceId !== inside.sequenceId) {
        inside._handleFatalError(new Error("Packets out of order."));
        inside.stream.destroy();
        return;
      }
    }
    handle(packet);
  };
}

/** Makes an invalid length prefix throw. The library would first print its state. */
function guardLengths(packet: Packet): void {
  const kind = Object.getPrototypeOf(packet) as Packet;
  if (guarded.has(kind)) return;
  guarded.add(kind);
  const read = kind.readLengthCodedNumberExt;
  kind.readLengthCodedNumberExt = function (mark, ...rest) {
    if (mark === undefined || mark > LENGTH_MARK_MAX) throw new Error("Invalid packet length.");
    return read.call(this, mark, ...rest);
  };
}
