import { MailLayout } from "./layout";
import { Action, Paragraph, Title } from "./parts";

export type InviteMailProps = { workspaceName: string; inviterName: string; role: string; href: string; days: number };

export function InviteMail({ workspaceName, inviterName, role, href, days }: InviteMailProps) {
  return (
    <MailLayout preview={`${inviterName} invites you to ${workspaceName}`}>
      <Title>{`Join ${workspaceName}`}</Title>
      <Paragraph>
        {inviterName} invites you to the workspace {workspaceName} as {role}. You will see its connections, consoles and
        dashboards.
      </Paragraph>
      <Action href={href} label="Accept the invitation" />
      <Paragraph quiet>The link works for {days} days, and only for this address.</Paragraph>
    </MailLayout>
  );
}
