import Type from 'typebox'
import { appOperation } from '../../contract/app-operation.ts'
import { nullable, resource } from '../../contract/schema.ts'
import { hasUsers } from '../users/queries.ts'

export const about = appOperation('about', {
  method: 'GET',
  path: '/about',
  access: 'read',
  tag: 'Account',
  summary: 'Get how people come in here',
  description: 'Needs no session: it says what the pages before the door have to offer.',
  answer: {
    status: 200,
    schema: resource('About', {
      setupNeeded: Type.Boolean({ description: 'Nobody can sign in yet; the server has printed a link' }),
      signedIn: Type.Boolean(),
      openSignup: Type.Boolean(),
      mail: Type.Boolean({ description: 'Letters can be sent, so a password can be reset by mail' }),
      oidc: nullable(Type.Object({ name: Type.String() }), {
        description: 'An account elsewhere opens this one: `GET /app/api/oidc/start?next=/path` goes there',
      }),
    }),
    description: 'What is possible',
  },
  *handle({ accounts: { openSignup, queueMail, oidc }, signedIn }) {
    return {
      setupNeeded: !(yield* hasUsers()),
      signedIn: signedIn !== undefined,
      openSignup,
      mail: queueMail !== undefined,
      oidc: oidc === undefined ? null : { name: oidc.name },
    }
  },
})
