import type { PublicSchemas } from '../../../api/client.ts'
import { t } from '../../../lib/i18n.ts'

type Disagreement = PublicSchemas['ShadowDisagreement']

export const toolNames: Readonly<Record<PublicSchemas['ShadowRun']['tool'], string>> = {
  KUMA: 'Uptime Kuma',
  GATUS: 'Gatus',
  UPTIMEROBOT: 'UptimeRobot',
}

/** Why the two disagree, as a title and a sentence. */
export const reasonTexts = (
  tool: string,
): Readonly<Record<Disagreement['reason'], { title: string; text: string }>> => ({
  ONE_FAILED_TRY: {
    title: t('One failed check there'),
    text: t('{tool} reported it down for a moment. Our checks didn’t confirm it.', { tool }),
  },
  ONLY_THERE: {
    title: t('Outage only there'),
    text: t('{tool} reported an outage that we didn’t see.', { tool }),
  },
  ONLY_HERE: { title: t('Outage only here'), text: t('We saw an outage that {tool} didn’t report.', { tool }) },
  SHORT_HERE: {
    title: t('Short outage'),
    text: t('We confirmed a short outage. {tool} was still retrying or checks less often.', { tool }),
  },
  CERTIFICATE: {
    title: t('Certificate or TLS problem'),
    text: t('We saw a certificate or TLS problem that {tool} didn’t report.', { tool }),
  },
  ASSERTION: {
    title: t('Failed assertion'),
    text: t('The response wasn’t as expected here. {tool} accepted it.', { tool }),
  },
  LATER_HERE: { title: t('Later here'), text: t('We noticed the change later than {tool}.', { tool }) },
  EARLIER_HERE: { title: t('Earlier here'), text: t('We noticed the change earlier than {tool}.', { tool }) },
  HEARTBEAT: {
    title: t('Heartbeat'),
    text: t('The job reports to only one of them. Change its URL, or keep the old address.'),
  },
  IN_DOUBT: {
    title: t('Inconclusive here'),
    text: t('{tool} reported it down. Our own checks were inconclusive at that time.', { tool }),
  },
  MAINTENANCE_THERE: {
    title: t('Maintenance only there'),
    text: t('It was in maintenance in {tool}, but not here.', { tool }),
  },
  MAINTENANCE_HERE: {
    title: t('Maintenance only here'),
    text: t('It was in maintenance here, but not in {tool}.', { tool }),
  },
  PAUSED_THERE: { title: t('Paused only there'), text: t('It is paused in {tool} or was deleted there.', { tool }) },
  PAUSED_HERE: { title: t('Paused only here'), text: t('It is paused here, but not in {tool}.', { tool }) },
  NOT_RUNNING: {
    title: t('{tool} didn’t answer', { tool }),
    text: t('Nothing could be compared during this time.'),
  },
  ALL_DOWN_THERE: {
    title: t('All monitors down in {tool}', { tool }),
    text: t('{tool} reported all its monitors down at once. Most were up here, so its own network probably failed.', {
      tool,
    }),
  },
})
