import { useMutation } from '@tanstack/preact-query'
import { useGet } from '../../api/get.ts'
import { useOrganization } from '../../api/organization.tsx'
import { listOf } from '../../lib/format.ts'
import { t, tx } from '../../lib/i18n.ts'
import { Button } from '../../ui/button.tsx'
import { ErrorNotice } from '../../ui/notice.tsx'
import { Section } from '../../ui/page.tsx'
import { QueryResult } from '../../ui/query-result.tsx'

/** Whether this installation can send e-mail, and what is missing. */
export function MailSettings() {
  const settings = useGet('organization', '/app/api/organization/mail')
  return (
    <Section title={t('E-mail')}>
      <div class="card space-y-3 p-4">
        <QueryResult query={settings} lines={2}>
          {({ missing }) =>
            missing.length === 0 ? (
              <TestMail />
            ) : (
              <>
                <p>{t('This installation cannot send e-mail.')}</p>
                <p class="text-muted">{t('Set {variables}, then restart.', { variables: listOf(missing) })}</p>
              </>
            )
          }
        </QueryResult>
      </div>
    </Section>
  )
}

function TestMail() {
  const { app } = useOrganization()
  const test = useMutation({ mutationFn: () => app.POST('/app/api/organization/test-mail') })
  return (
    <>
      <p class="text-muted">
        {t('A mail server is set up. Send a test mail to your own address to see whether it works.')}
      </p>
      <Button busy={test.isPending} onClick={() => test.mutate()}>
        {t('Send test mail')}
      </Button>
      <div role="status">
        {test.data?.sent === true && tx('Test mail sent to {to}. Check your inbox.', { to: test.data.to })}
        {test.data?.sent === false && (
          <span class="text-down-text">{tx('Not sent: {error}', { error: test.data.error ?? '' })}</span>
        )}
      </div>
      {test.isError && <ErrorNotice problem={test.error} />}
    </>
  )
}
