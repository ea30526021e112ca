type Environment = Readonly<Record<string, string | undefined>>

interface DomainSettings {
  readonly hostHeader: string
  readonly requiresDomainProof: boolean
}

interface OtherSettings {
  readonly openSignup: boolean
  readonly trustProxy: readonly string[]
}

/** Reads the settings of custom domains; adds what is wrong to `problems`. */
export function readDomainSettings(
  env: Environment,
  problems: string[],
  { openSignup, trustProxy }: OtherSettings,
): DomainSettings {
  const proof = env.PHAROS_DOMAIN_PROOF || 'auto'
  if (proof !== 'auto' && proof !== 'required') {
    problems.push(`PHAROS_DOMAIN_PROOF: must be auto or required, not "${proof}"`)
  }
  const hostHeader = (env.PHAROS_HOST_HEADER || 'host').toLowerCase()
  if (!/^[a-z0-9-]+$/.test(hostHeader)) {
    problems.push(`PHAROS_HOST_HEADER: must be a header name such as x-forwarded-host, not "${hostHeader}"`)
  } else if (hostHeader !== 'host' && trustProxy?.length === 0) {
    problems.push('PHAROS_HOST_HEADER: requires PHAROS_TRUST_PROXY, because only a trusted proxy may set this header')
  }
  return { hostHeader, requiresDomainProof: proof === 'required' || openSignup }
}
