import { MailLayout } from "./layout";
import { Action, Paragraph, Title } from "./parts";

export type ResetPasswordMailProps = { href: string; minutes: number };

export function ResetPasswordMail({ href, minutes }: ResetPasswordMailProps) {
  return (
    <MailLayout preview="Reset your password">
      <Title>Reset your password</Title>
      <Paragraph>We received a request to reset the password for this email address.</Paragraph>
      <Action href={href} label="Reset your password" />
      <Paragraph quiet>
        This link expires in {minutes} minutes and works once. If you didn't ask for it, ignore this email. Your
        password won't change.
      </Paragraph>
    </MailLayout>
  );
}
