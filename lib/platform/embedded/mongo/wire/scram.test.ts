import { expect, test } from "vitest";
import { GuessLimit } from "./authentication.ts";
import { deriveCredentials, isPasswordOf, ScramConversation } from "./scram.ts";

/** The example of RFC 7677, section 3. */
const credentials = deriveCredentials("user", "pencil", Buffer.from("W22ZaJ0SNY7soEsUEjb6gQ==", "base64"), 4096);
const FIRST = "n,,n=user,r=rOprNGfwEbeRWgbNEkqO";
const SERVER_NONCE = "%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0";
const LAST = `c=biws,r=rOprNGfwEbeRWgbNEkqO${SERVER_NONCE},p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=`;
const begin = (first = FIRST, nonce = SERVER_NONCE) => ScramConversation.begin(credentials, first, nonce);

test("matches the example of the standard", () => {
  const conversation = begin();
  expect(conversation?.serverFirst).toBe(`r=rOprNGfwEbeRWgbNEkqO${SERVER_NONCE},s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096`);
  expect(conversation?.finish(LAST)).toBe("v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=");
});

test.each([
  ["a proof of another conversation", undefined, LAST],
  ["a proof that is off by one", SERVER_NONCE, LAST.replace("p=d", "p=e")],
  ["no proof", SERVER_NONCE, LAST.replace(/p=.*/, "p=")],
  ["a short proof", SERVER_NONCE, LAST.replace(/p=.*/, "p=dHzb")],
  ["another binding", SERVER_NONCE, LAST.replace("biws", "eSws")],
  ["other text", SERVER_NONCE, "hello"],
])("%s is refused", (_name, nonce, last) => {
  expect(ScramConversation.begin(credentials, FIRST, nonce)?.finish(last)).toBeUndefined();
});

test.each([
  ["channel binding", "p=tls-unique,,n=user,r=abc"],
  ["an extension", "n,,m=x,n=user,r=abc"],
  ["no nonce", "n,,n=user,r="],
])("%s does not start a sign-in", (_name, first) => expect(begin(first)).toBeUndefined());

test("gives an unknown user a stable salt, then fails", () => {
  const saltOf = (user: string) => /s=([^,]+)/.exec(begin(`n,,n=${user},r=abc`)?.serverFirst ?? "")?.[1];
  expect(saltOf("nobody")).toBe(saltOf("nobody"));
  expect(saltOf("nobody")).not.toBe(saltOf("user"));
  expect(saltOf("nobody")).not.toBe(saltOf("somebody"));
  const asAnother = begin(FIRST.replace("n,,", "n,a=admin,"));
  expect(asAnother?.finish(LAST.replace("biws", Buffer.from("n,a=admin,").toString("base64")))).toBeUndefined();
});

test("checks a password by its derived form", () => {
  expect(isPasswordOf(credentials, "pencil")).toBe(true);
  expect(isPasswordOf(credentials, "Pencil")).toBe(false);
});

test("checks five sign-ins a second after twenty wrong passwords, and queues at most a hundred", () => {
  let now = 0;
  const limit = new GuessLimit(() => now);
  for (let i = 0; i < 20; i++) expect(limit.take()).toBe(0);
  expect(Array.from({ length: 3 }, () => limit.take())).toEqual([200, 400, 600]);
  for (let i = 3; i < 100; i++) limit.take();
  expect(limit.take()).toBeUndefined();
  now = 1000;
  expect(Array.from({ length: 6 }, () => limit.take())).toEqual([19_200, 19_400, 19_600, 19_800, 20_000, undefined]);
  now = 60_000;
  for (let i = 0; i < 100; i++) {
    expect(limit.take()).toBe(0);
    // Correct attempts are not counted.
    limit.giveBack();
  }
});
