/** Messages for the problem codes of OpenID Connect sign-in; documented in docs/accounts.md. */
const words: Readonly<Record<string, (name: string) => string>> = {
  oidc_off: () => 'This installation has no other place to sign in at',
  oidc_away: (name) => `${name} could not be reached; try again, or ask the operator to look into the log`,
  oidc_over: (name) => `Signing in with ${name} took too long, or was begun in another browser; try again`,
  oidc_denied: (name) => `${name} did not let you in, or you cancelled`,
  oidc_unverified: (name) => `${name} does not vouch for your e-mail address, so it cannot be trusted here`,
  oidc_unknown: (name) => `Nobody here has the address that ${name} told; ask for an invitation first`,
  oidc_invalid: (name) =>
    `What ${name} answered cannot be trusted; try again, or ask the operator to look into the log`,
}

/** The message for the problem in the URL; undefined if there is none. */
export function oidcProblem(code: string | null, name = 'the provider'): string | undefined {
  if (code === null || code === '') return undefined
  const say = words[code] ?? (() => `Signing in with ${name} did not work; ask the operator to look into the log`)
  const sentence = say(name)
  return sentence.charAt(0).toUpperCase() + sentence.slice(1)
}
