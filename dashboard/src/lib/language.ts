/** The language of the dashboard: chosen by the user, else the first of the browser's languages that there is. */

export const languages = {
  en: 'English',
  de: 'Deutsch',
  es: 'Español',
  fr: 'Français',
  ja: '日本語',
  pt: 'Português (Brasil)',
  zh: '中文（简体）',
} as const

export type Language = keyof typeof languages

/** Translations by English text; of texts with a count, the forms by plural category. */
export type Catalogue = Readonly<Record<string, string | Readonly<Partial<Record<Intl.LDMLPluralRule, string>>>>>

/** A chunk for each language. English is in the code. */
const catalogues: Readonly<Record<Exclude<Language, 'en'>, () => Promise<{ default: Catalogue }>>> = {
  de: () => import('../languages/de.json', { with: { type: 'json' } }),
  es: () => import('../languages/es.json', { with: { type: 'json' } }),
  fr: () => import('../languages/fr.json', { with: { type: 'json' } }),
  ja: () => import('../languages/ja.json', { with: { type: 'json' } }),
  pt: () => import('../languages/pt.json', { with: { type: 'json' } }),
  zh: () => import('../languages/zh.json', { with: { type: 'json' } }),
}

interface Browser {
  readonly document: { readonly documentElement: { lang: string } }
  readonly localStorage: {
    getItem(name: string): string | null
    setItem(name: string, value: string): void
    removeItem(name: string): void
  }
  readonly location: { reload(): void }
  readonly navigator: { readonly languages: readonly string[] }
}

/** Undefined where tests run parts of the dashboard in Node, in English. */
const browser = 'document' in globalThis ? (globalThis as unknown as Browser) : undefined

const STORED = 'pharos.language'

function isLanguage(name: unknown): name is Language {
  return typeof name === 'string' && Object.hasOwn(languages, name)
}

function chosenLanguage({ localStorage, navigator }: Browser): Language {
  const stored = localStorage.getItem(STORED)
  if (isLanguage(stored)) return stored
  return navigator.languages.map((tag) => tag.slice(0, 2)).find(isLanguage) ?? 'en'
}

export const language: Language = browser === undefined ? 'en' : chosenLanguage(browser)

/** For numbers and times: with the region of the browser (en-GB), if it is the same language. */
export const locale: string | undefined =
  browser?.navigator.languages.find((tag) => tag.slice(0, 2) === language) ?? (browser && language)

/** Null: the language of the browser. Loads the page again, because texts are looked up when modules are loaded. */
export function switchLanguage(next: Language | null): void {
  if (browser === undefined) return
  if (next === null) browser.localStorage.removeItem(STORED)
  else browser.localStorage.setItem(STORED, next)
  // Compares what the next load will choose: a browser that stores nothing must not reload for ever.
  if (chosenLanguage(browser) !== language) browser.location.reload()
}

async function loadCatalogue(): Promise<Catalogue> {
  if (language === 'en') return {}
  try {
    return (await catalogues[language]()).default
  } catch {
    return {} // English texts are better than no dashboard.
  }
}

if (browser !== undefined) browser.document.documentElement.lang = language

export const catalogue: Catalogue = await loadCatalogue()
