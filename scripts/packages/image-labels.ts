/** What the image says about its origin, of package.json. */
export interface Origin {
  readonly description?: string
  readonly license?: string
  readonly homepage?: string
  readonly repository?: string | { readonly url: string }
}

const PREFIX = 'org.opencontainers.image.'

/** Labels of the OCI. Those without a value are left out: a label must not name a wrong address. */
export function imageLabels(origin: Origin, version: string, revision: string | undefined): Record<string, string> {
  const { description, license, homepage } = origin
  const source = repositoryUrl(origin)
  const values = {
    title: 'Pharos',
    description,
    version,
    revision,
    // npm's word for software without a public licence is no SPDX expression.
    licenses: license === 'UNLICENSED' ? 'LicenseRef-Proprietary' : license,
    source,
    url: homepage ?? source,
    documentation: homepage ?? (source && `${source}#readme`),
  }
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [[`${PREFIX}${name}`, value]])),
  )
}

/** In the forms that npm writes: `git+https://…/pharos.git`. */
function repositoryUrl({ repository }: Origin): string | undefined {
  const text = typeof repository === 'object' ? repository.url : repository
  return text?.replace(/^git\+/, '').replace(/\.git$/, '')
}
