import Type from 'typebox'
import { appNetworkOperation, appOperation } from '../../contract/app-operation.ts'
import { ApiError } from '../../contract/errors.ts'
import { nullable, resource } from '../../contract/schema.ts'
import { newId } from '../../lib/ids.ts'
import { subject } from '../../outbound/email-subject.ts'
import { countTestMail } from '../mail-budgets/budgets.ts'
import { accountEmail } from '../users/account-email.ts'

const TIMEOUT_MS = 60_000

export const getMailSettings = appOperation('getMailSettings', {
  method: 'GET',
  path: '/organization/mail',
  tag: 'Members',
  summary: 'Get what is missing to send e-mail',
  answer: {
    status: 200,
    schema: resource('MailSettings', {
      missing: Type.Array(Type.String(), { description: 'Environment variables that the operator has to set' }),
    }),
    description: 'Without missing variables, e-mail can be sent',
  },
  // biome-ignore lint/correctness/useYield: reads nothing
  *handle({ installation }) {
    return { missing: [...installation.missingMailVariables] }
  },
})

export const sendTestMail = appNetworkOperation('sendTestMail', {
  method: 'POST',
  path: '/organization/test-mail',
  tag: 'Members',
  summary: 'Send a test mail to your own address',
  description: 'The response waits for the mail server, up to a minute.',
  answer: {
    status: 200,
    schema: resource('TestMail', {
      to: Type.String(),
      sent: Type.Boolean(),
      error: nullable(Type.String(), { description: 'What the mail server said' }),
    }),
    description: 'The result',
  },
  errors: ['conflict'],
  *prepare({ caller: { orgId }, signedIn: { email: to }, installation, now }) {
    const { missingMailVariables: missing, baseUrl } = installation
    if (missing.length > 0) throw new ApiError('conflict', `Set ${missing.join(' and ')}, then restart`)
    yield* countTestMail({ orgId, to }, now)
    return accountEmail(newId('ntc', now), {
      to,
      subject: subject`Test mail from Pharos`,
      paragraphs: ['Pharos can send e-mail. It was sent by the installation at this address:'],
      link: baseUrl,
      button: 'Open Pharos',
    })
  },
  async run(email, { transports: { mail } }) {
    const result = await mail?.(email, AbortSignal.timeout(TIMEOUT_MS))
    return { to: email.to, sent: result?.ok === true, error: result?.ok === false ? result.error : null }
  },
  // biome-ignore lint/correctness/useYield: writes nothing
  *save(_context, _input, result) {
    return result
  },
})
