import type { Socket } from "node:net";
import { deserialize, serialize } from "bson";

const OP_REPLY = 1;
const OP_QUERY = 2004;
const OP_MSG = 2013;
const HEADER_BYTES = 16;

/**
 * Speaks just enough of MongoDB's protocol for a driver to believe in a replica set.
 * @param hosts what its `hello` names as members; whoever follows it dials these
 */
export function serveHello(hosts: () => string[]): (socket: Socket) => void {
  return (socket) => {
    let buffered = Buffer.alloc(0);
    socket.on("data", (chunk) => {
      buffered = Buffer.concat([buffered, chunk]);
      while (buffered.length >= HEADER_BYTES && buffered.length >= buffered.readInt32LE(0)) {
        const message = buffered.subarray(0, buffered.readInt32LE(0));
        buffered = buffered.subarray(message.length);
        socket.write(answer(message, hosts()));
      }
    });
  };
}

function answer(message: Buffer, hosts: string[]): Buffer {
  const requestId = message.readInt32LE(4);
  const isQuery = message.readInt32LE(12) === OP_QUERY;
  // OP_QUERY: flags, the collection's name, two counts. OP_MSG: flags, the section's kind.
  const start = isQuery ? message.indexOf(0, HEADER_BYTES + 4) + 9 : HEADER_BYTES + 5;
  const command = Object.keys(deserialize(message.subarray(start, start + message.readInt32LE(start))))[0] ?? "";
  const body = serialize(/^(hello|ismaster)$/i.test(command) ? hello(hosts) : { ok: 1 });
  const head = isQuery ? Buffer.alloc(20) : Buffer.alloc(5);
  if (isQuery) head.writeInt32LE(1, 16);
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeInt32LE(HEADER_BYTES + head.length + body.length, 0);
  header.writeInt32LE(requestId, 8);
  header.writeInt32LE(isQuery ? OP_REPLY : OP_MSG, 12);
  return Buffer.concat([header, head, body]);
}

function hello(hosts: string[]) {
  return {
    ok: 1,
    helloOk: true,
    isWritablePrimary: true,
    ismaster: true,
    setName: "fake",
    setVersion: 1,
    hosts,
    me: hosts[0],
    primary: hosts[0],
    maxBsonObjectSize: 16_777_216,
    maxMessageSizeBytes: 48_000_000,
    maxWriteBatchSize: 100_000,
    minWireVersion: 0,
    maxWireVersion: 21,
    readOnly: false,
  };
}
