import { t } from '../../lib/i18n.ts'

/** Messages for the problem codes of OpenID Connect sign-in; documented in docs/accounts.md. */
const words: Readonly<Record<string, (name: string) => string>> = {
  oidc_off: () => t('Single sign-on is not set up on this installation'),
  oidc_away: (name) =>
    t('{name} could not be reached. Try again, or ask the operator to check the server log', { name }),
  oidc_over: (name) => t('Signing in with {name} timed out or was started in another browser. Try again', { name }),
  oidc_denied: (name) => t('{name} denied access, or you cancelled', { name }),
  oidc_unverified: (name) =>
    t('{name} has not verified your e-mail address. Verify it there, then try again', { name }),
  oidc_unknown: (name) => t('There is no account for your {name} e-mail address. Ask for an invitation', { name }),
  oidc_invalid: (name) =>
    t('The response from {name} is not valid. Try again, or ask the operator to check the server log', { name }),
}

/** The message for the problem in the URL; undefined if there is none. */
export function oidcProblem(code: string | null, name = t('the sign-in provider')): string | undefined {
  if (code === null || code === '') return undefined
  const textFor =
    words[code] ?? (() => t('Signing in with {name} failed. Ask the operator to check the server log', { name }))
  const sentence = textFor(name)
  return sentence.charAt(0).toUpperCase() + sentence.slice(1)
}
