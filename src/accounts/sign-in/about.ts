import Type from 'typebox'
import { appOperation } from '../../contract/app-operation.ts'
import { nullable, resource } from '../../contract/schema.ts'
import { hasUsers } from '../users/queries.ts'

export const about = appOperation('about', {
  method: 'GET',
  path: '/about',
  tag: 'Account',
  summary: 'Get the sign-in methods',
  description: 'Needs no session.',
  answer: {
    status: 200,
    schema: resource('About', {
      setupNeeded: Type.Boolean({
        description: 'The installation has no user yet; "pharos setup-link" prints a link to create one',
      }),
      signedIn: Type.Boolean(),
      openSignup: Type.Boolean(),
      mail: Type.Boolean({
        description: 'A mail server is configured: passwords can be reset, and a sign-up is confirmed by e-mail',
      }),
      oidc: nullable(Type.Object({ name: Type.String() }), {
        description: 'OpenID Connect; sign-in starts at `GET /app/api/oidc/start?next=/path`',
      }),
    }),
    description: 'The methods that are available',
  },
  *handle({ accounts: { openSignup, oidc }, installation, signedIn }) {
    return {
      setupNeeded: !(yield* hasUsers()),
      signedIn: signedIn !== undefined,
      openSignup,
      mail: installation.queueMail !== undefined,
      oidc: oidc === undefined ? null : { name: oidc.name },
    }
  },
})
