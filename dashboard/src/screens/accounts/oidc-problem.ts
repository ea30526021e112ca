/** Messages for the problem codes of OpenID Connect sign-in; documented in docs/accounts.md. */
const words: Readonly<Record<string, (name: string) => string>> = {
  oidc_off: () => 'Single sign-on is not set up on this installation',
  oidc_away: (name) => `${name} could not be reached. Try again, or ask the operator to check the server log`,
  oidc_over: (name) => `Signing in with ${name} timed out or was started in another browser. Try again`,
  oidc_denied: (name) => `${name} denied access, or you cancelled`,
  oidc_unverified: (name) => `${name} has not verified your e-mail address. Verify it there, then try again`,
  oidc_unknown: (name) => `There is no account for your ${name} e-mail address. Ask for an invitation`,
  oidc_invalid: (name) =>
    `The response from ${name} is not valid. Try again, or ask the operator to check the server log`,
}

/** The message for the problem in the URL; undefined if there is none. */
export function oidcProblem(code: string | null, name = 'the sign-in provider'): string | undefined {
  if (code === null || code === '') return undefined
  const say = words[code] ?? (() => `Signing in with ${name} failed. Ask the operator to check the server log`)
  const sentence = say(name)
  return sentence.charAt(0).toUpperCase() + sentence.slice(1)
}
