import { MailLayout } from "./layout";
import { Action, Paragraph, Title } from "./parts";

export type ResetPasswordMailProps = { href: string; minutes: number };

export function ResetPasswordMail({ href, minutes }: ResetPasswordMailProps) {
  return (
    <MailLayout preview="Set a new password">
      <Title>Set a new password</Title>
      <Paragraph>Somebody, most likely you, asked for a new password for this address.</Paragraph>
      <Action href={href} label="Set a new password" />
      <Paragraph quiet>
        The link works once, for {minutes} minutes. If it was not you, leave it: your password stays as it is.
      </Paragraph>
    </MailLayout>
  );
}
