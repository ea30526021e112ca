import { createPrivateKey, X509Certificate } from 'node:crypto'
import type { Fault } from '../../contract/errors.ts'

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g

/** The certificates of a PEM text, which may have other text between them; undefined if one is damaged or there is none. */
function certificatesIn(pem: string): readonly X509Certificate[] | undefined {
  try {
    const found = (pem.match(CERTIFICATE) ?? []).map((text) => new X509Certificate(text))
    const begun = pem.split('-----BEGIN CERTIFICATE-----').length - 1
    return found.length > 0 && found.length === begun ? found : undefined
  } catch {
    return undefined
  }
}

export function authorityFaults(ca: string): Fault[] {
  return certificatesIn(ca) === undefined ? [{ path: 'ca', message: 'must be certificates in PEM form' }] : []
}

/** `key` is undefined while it is masked. */
export function clientCertificateFaults(cert: string, key: string | undefined): Fault[] {
  const [own] = certificatesIn(cert) ?? []
  const faults: Fault[] =
    own === undefined ? [{ path: 'clientCertificate.cert', message: 'must be a certificate in PEM form' }] : []
  if (key === undefined) return faults
  const keyFault = keyProblem(own, key)
  return keyFault === undefined ? faults : [...faults, { path: 'clientCertificate.key', message: keyFault }]
}

function keyProblem(own: X509Certificate | undefined, key: string): string | undefined {
  try {
    const parsed = createPrivateKey(key)
    return own === undefined || own.checkPrivateKey(parsed) ? undefined : 'does not belong to the certificate'
  } catch {
    return /ENCRYPTED/.test(key) ? 'must not be encrypted' : 'must be a private key in PEM form'
  }
}
