import type { Status } from './labels.tsx'

interface Template {
  readonly name: string
  readonly status: Status
  readonly message: string
}

/** Message templates. `THING` is replaced by the affected monitors. */
const templates: readonly Template[] = [
  {
    name: 'Investigating',
    status: 'INVESTIGATING',
    message: 'We are investigating a problem with THING. Next update within 30 minutes.',
  },
  {
    name: 'Identified',
    status: 'IDENTIFIED',
    message: 'We have identified the cause of the problem with THING and are working on a fix.',
  },
  {
    name: 'Provider outage',
    status: 'IDENTIFIED',
    message:
      'THING is affected by an outage at one of our providers. We are in contact with them and are following their progress.',
  },
  {
    name: 'Monitoring a fix',
    status: 'MONITORING',
    message: 'A fix is in place and THING is recovering. We are monitoring the results.',
  },
  {
    name: 'Resolved',
    status: 'RESOLVED',
    message: 'THING is working normally again. We apologize for the disruption.',
  },
]

/** Templates with the affected monitors filled in, capitalised at the start of a sentence. */
export function templatesFor(thing: string): readonly Template[] {
  return templates.map(({ message, ...rest }) => ({
    ...rest,
    message: message.replace(/^THING/, thing === 'the service' ? 'The service' : thing).replaceAll('THING', thing),
  }))
}

/** "Checkout", "Checkout and API", or "the service" for more. */
export function affectedNames(names: readonly string[]): string {
  return names.length === 0 || names.length > 2 ? 'the service' : names.join(' and ')
}
