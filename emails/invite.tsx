import { MailLayout } from "./layout";
import { Action, Paragraph, Title } from "./parts";

export type InviteMailProps = { workspaceName: string; inviterName: string; role: string; href: string; days: number };

export function InviteMail({ workspaceName, inviterName, role, href, days }: InviteMailProps) {
  return (
    <MailLayout preview={`${inviterName} invited you to ${workspaceName}`}>
      <Title>{`Join ${workspaceName}`}</Title>
      <Paragraph>
        {inviterName} invited you to join {workspaceName} as {role}. You will have access to its connections, consoles
        and dashboards.
      </Paragraph>
      <Action href={href} label="Accept invitation" />
      <Paragraph quiet>This link expires in {days} days and works only for this email address.</Paragraph>
    </MailLayout>
  );
}
