// Declares the parts of ssh2 that are used here; the library ships no types.
declare module "ssh2" {
  import type { EventEmitter } from "node:events";
  import type { Duplex } from "node:stream";

  export type ClientConfig = {
    sock: Duplex;
    username: string;
    password?: string;
    privateKey?: string;
    tryKeyboard?: boolean;
    authHandler: string[];
    readyTimeout: number;
    keepaliveInterval: number;
    keepaliveCountMax: number;
    hostVerifier: (key: Buffer) => boolean;
    algorithms: { serverHostKey: { remove: string[] } };
    ident: string;
  };
  export class Client extends EventEmitter {
    connect(config: ClientConfig): this;
    forwardOut(
      fromHost: string,
      fromPort: number,
      host: string,
      port: number,
      done: (error: Error | undefined, channel: Duplex) => void,
    ): this;
    end(): this;
    destroy(): this;
  }
  type ParsedKey = { isPrivateKey(): boolean; getPublicSSH(): Buffer };
  const library: {
    Client: typeof Client;
    utils: { parseKey(text: string): ParsedKey | ParsedKey[] | Error };
  };
  export default library;
}
