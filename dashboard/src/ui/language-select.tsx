import { Languages } from 'lucide-preact'
import { t } from '../lib/i18n.ts'
import { type Language, language, languages, switchLanguage } from '../lib/language.ts'

/** Chooses the language of this browser, on screens before sign-in. */
export function LanguageSelect() {
  return (
    <label class="inline-flex items-center gap-2">
      <Languages />
      <span class="sr-only">{t('Language')}</span>
      <select
        class="input w-auto"
        value={language}
        onChange={(event) => switchLanguage(event.currentTarget.value as Language)}
      >
        {Object.entries(languages).map(([code, name]) => (
          <option key={code} value={code} lang={code}>
            {name}
          </option>
        ))}
      </select>
    </label>
  )
}
