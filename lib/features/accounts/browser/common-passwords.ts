/**
 * Passwords of eight letters and more that lead the lists of leaked ones, in lower case and without trailing digits or
 * signs.
 */
export const COMMON_PASSWORDS: ReadonlySet<string> = new Set(
  (
    "password passw0rd p@ssw0rd p@ssword 12345678 123456789 1234567890 87654321 987654321 11111111 00000000 88888888 " +
    "12341234 11223344 12344321 123123123 147258369 qwertyui qwertyuiop qwerty12 qwerty123 1qaz2wsx 1q2w3e4r 1q2w3e4r5t " +
    "q1w2e3r4 zaq12wsx asdfghjk asdfghjkl zxcvbnm, zxcvbnm1 asdf1234 abcd1234 abc12345 a1b2c3d4 aa123456 abcdefgh " +
    "iloveyou iloveyou1 princess sunshine football baseball basketball superman spiderman batman123 starwars pokemon1 " +
    "whatever " +
    "computer internet samsung1 trustno1 letmein1 letmein123 welcome1 welcome123 welcome admin123 administrator " +
    "changeme changeme123 secret123 test1234 testtest default1 master123 monkey12 dragon12 shadow12 michelle jennifer " +
    "jonathan michael1 jordan23 liverpool chelsea1 arsenal1 barcelona realmadrid corvette mercedes mustang1 chocolate " +
    "butterfly elephant december november september hello123 hellohello helloworld summer2024 winter2024 spring2024 " +
    "google123 facebook linkedin dropbox1 passwort password1 password12 password123 mypassword newpassword"
  ).split(" "),
);
