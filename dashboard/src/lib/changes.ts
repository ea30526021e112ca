import { sentence, translatedBy } from './causes.ts'
import { t } from './i18n.ts'

/** What a check sees. The summary of the server has the same names. */
export const changeFields: Readonly<Record<string, string>> = {
  certificate: t('Certificate'),
  issuer: t('Issuer of the certificate'),
  certificateNames: t('Names in the certificate'),
  tlsVersion: t('TLS version'),
  dns: t('DNS answer'),
  network: t('Network'),
  address: t('IP address'),
  finalUrl: t('Final URL'),
  redirects: t('Redirects'),
  status: t('Status code'),
  location: t('Location header'),
  contentType: t('Content type'),
  server: t('Server'),
  cache: t('Cache headers'),
  title: t('Page title'),
  scripts: t('Script hosts'),
  size: t('Response size'),
  text: t('Page text'),
}

/** What changed before an incident, in the words of src/monitoring/evidence/summarize.ts, without the final dot. */
const sentences = [
  sentence('{change} {count} min earlier'),
  sentence('{change} just before'),
  sentence('Certificate replaced: issuer changed from {before} to {after}'),
  sentence('Certificate replaced: names changed from {before} to {after}'),
  sentence('Certificate replaced'),
  sentence('Page text changed'),
  sentence('Only the status code changed'),
  sentence('Nothing else changed'),
  sentence('Nothing changed in the hour before'),
  sentence('{field} changed from {before} to {after}'),
  sentence('The DNS lookup took {ms} ms instead of {usualMs} ms'),
  sentence('Connecting took {ms} ms instead of {usualMs} ms'),
  sentence('The TLS handshake took {ms} ms instead of {usualMs} ms'),
  sentence('The first byte took {ms} ms instead of {usualMs} ms'),
  sentence('The download took {ms} ms instead of {usualMs} ms'),
]

/** A sentence of an incident's summary in the reader's language. */
export function changeText(text: string): string {
  return t('{sentence}.', { sentence: coreText(text.replace(/\.$/, '')) })
}

function coreText(text: string): string {
  return translatedBy(sentences, text, (name, value) => {
    if (name === 'change') return coreText(value)
    if (name === 'field') return t(value)
    return value === 'none' ? t('none') : value
  })
}
