import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { SMTPServer, type SMTPServerOptions } from "smtp-server";

/** An email as the server received it. `raw` is the whole message with its headers. */
export type ReceivedMail = { from: string; to: string[]; raw: string; isSecure: boolean; user: string | null };

export type SmtpServer = {
  port: number;
  received: ReceivedMail[];
  /** User names and passwords that clients sent, accepted or not. */
  logins: string[];
  close: () => Promise<void>;
};

const PASSWORD = "p@ss/w:rd";

/** Starts a real SMTP server on 127.0.0.1 that knows one account: `mill` with the password `p@ss/w:rd`. */
export async function startSmtpServer(
  options: SMTPServerOptions = {},
  refuses: (recipient: string) => boolean = () => false,
): Promise<SmtpServer> {
  const received: ReceivedMail[] = [];
  const logins: string[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disableReverseLookup: true,
    logger: false,
    closeTimeout: 100,
    onAuth: ({ username, password }, _session, done) => {
      logins.push(`${username}:${password}`);
      if (username === "mill" && password === PASSWORD) done(null, { user: username });
      else done(new Error("Wrong user name or password"));
    },
    onRcptTo: ({ address }, _session, done) => {
      if (refuses(address)) done(Object.assign(new Error("No such mailbox"), { responseCode: 550 }));
      else done();
    },
    onData: (stream, session, done) => {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", () => {
        const { mailFrom, rcptTo } = session.envelope;
        received.push({
          from: mailFrom ? mailFrom.address : "",
          to: rcptTo.map(({ address }) => address),
          raw: Buffer.concat(chunks).toString("utf8"),
          isSecure: session.secure,
          user: typeof session.user === "string" ? session.user : null,
        });
        done();
      });
    },
    ...options,
  });
  // A client that rejects the certificate is an error of the connection, not of the server.
  server.on("error", () => {});
  const listener = server.listen(0, "127.0.0.1");
  await once(listener, "listening");
  return {
    port: (listener.address() as AddressInfo).port,
    received,
    logins,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
