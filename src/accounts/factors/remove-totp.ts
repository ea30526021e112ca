import { appNetworkOperation } from '../../contract/app-operation.ts'
import { body } from '../../contract/schema.ts'
import { recordUserChange } from '../members/queries.ts'
import { dropChallengesOf } from './challenges.ts'
import { reauthentication, requireReauthentication } from './reauthenticate.ts'
import { ReauthenticationPassword, Security } from './schema.ts'
import { securityOf } from './security.ts'
import { dropTotp, totpOf } from './totp-queries.ts'

export const removeTotp = appNetworkOperation('removeTotp', {
  method: 'POST',
  path: '/me/totp/remove',
  tag: 'Account',
  summary: 'Remove the authenticator app',
  description: 'Deletes the recovery codes too. Sessions continue.',
  body: body('RemoveTotp', { password: ReauthenticationPassword }),
  bodyRequired: false,
  answer: { status: 200, schema: Security, description: 'The updated sign-in methods' },
  errors: ['conflict', 'forbidden'],
  ...reauthentication({ allowRecentSignIn: false }),
  *save(context, _input, checked) {
    const user = yield* requireReauthentication(context, checked)
    const wasConfirmed = (yield* totpOf(user.id))?.confirmed_at != null
    yield* dropTotp(user.id)
    yield* dropChallengesOf(user.id)
    if (wasConfirmed) yield* recordUserChange(user, 'removeTotp', context.requestId, context.now)
    return yield* securityOf(user.id)
  },
})
