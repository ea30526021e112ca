import type { Status } from './labels.tsx'

interface Template {
  readonly name: string
  readonly status: Status
  readonly message: string
}

/** Message templates. `THING` is replaced by the affected monitors. */
const templates: readonly Template[] = [
  {
    name: 'We are looking into it',
    status: 'INVESTIGATING',
    message: 'We are aware that THING is not working as it should and are looking into it. More within 30 minutes.',
  },
  {
    name: 'The cause is found',
    status: 'IDENTIFIED',
    message: 'We have found the cause of the trouble with THING and are working on a fix.',
  },
  {
    name: 'A provider has an outage',
    status: 'IDENTIFIED',
    message:
      'THING is affected by an outage at one of our providers. We are in contact with them and watch their progress.',
  },
  {
    name: 'A fix is out',
    status: 'MONITORING',
    message: 'A fix is in place and THING is recovering. We keep watching before we call it resolved.',
  },
  {
    name: 'It is over',
    status: 'RESOLVED',
    message: 'THING works normally again. We are sorry for the trouble.',
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
