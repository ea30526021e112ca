import { listOf } from '../../lib/format.ts'
import { t } from '../../lib/i18n.ts'
import type { Status } from './labels.tsx'

interface Template {
  readonly name: string
  readonly status: Status
  readonly message: string
}

/** Message templates. `THING` is replaced by the affected monitors. */
const templates: readonly Template[] = [
  {
    name: t('Investigating'),
    status: 'INVESTIGATING',
    message: t('We are investigating a problem with THING. Next update within 30 minutes.'),
  },
  {
    name: t('Identified'),
    status: 'IDENTIFIED',
    message: t('We have identified the cause of the problem with THING and are working on a fix.'),
  },
  {
    name: t('Provider outage'),
    status: 'IDENTIFIED',
    message: t(
      'THING is affected by an outage at one of our providers. We are in contact with them and are following their progress.',
    ),
  },
  {
    name: t('Monitoring a fix'),
    status: 'MONITORING',
    message: t('A fix is in place and THING is recovering. We are monitoring the results.'),
  },
  {
    name: t('Resolved'),
    status: 'RESOLVED',
    message: t('THING is working normally again. We apologize for the disruption.'),
  },
]

/** Templates with the affected monitors filled in, capitalised at the start of a sentence. */
export function templatesFor(thing: string): readonly Template[] {
  return templates.map(({ message, ...rest }) => ({
    ...rest,
    message: message.replace(/^THING/, thing === unnamed ? t('The service') : thing).replaceAll('THING', thing),
  }))
}

/** For more than two monitors. */
const unnamed = t('the service')

/** "Checkout", "Checkout and API", or "the service" for more. */
export function affectedNames(names: readonly string[]): string {
  return names.length === 0 || names.length > 2 ? unnamed : listOf(names)
}
