import { t } from '../../lib/i18n.ts'

const browsers: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/\bEdg(?:e|A|iOS)?\//, t('Edge')],
  [/\bOPR\//, t('Opera')],
  [/\b(?:Firefox|FxiOS)\//, t('Firefox')],
  [/\b(?:Headless)?(?:Chrome|Chromium|CriOS)\//, t('Chrome')],
  [/\bSafari\//, t('Safari')],
  [/^curl\//, 'curl'],
]

const systems: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/iPhone|iPad/, 'iOS'],
  [/Android/, t('Android')],
  [/Windows/, t('Windows')],
  [/Mac OS X|Macintosh/, 'macOS'],
  [/CrOS/, t('ChromeOS')],
  [/Linux/, t('Linux')],
]

/** "Firefox on Linux", from the User-Agent header. */
export function describeBrowser(userAgent: string | null): string {
  if (userAgent === null || userAgent === '') return t('Unknown client')
  const browser = browsers.find(([pattern]) => pattern.test(userAgent))?.[1]
  const system = systems.find(([pattern]) => pattern.test(userAgent))?.[1]
  if (browser === undefined) return userAgent.slice(0, 40)
  return system === undefined ? browser : t('{browser} on {system}', { browser, system })
}
