import { useQueryClient } from '@tanstack/preact-query'
import { type AppSchemas, userApp } from '../../api/client.ts'
import { t } from '../../lib/i18n.ts'
import { languages, switchLanguage } from '../../lib/language.ts'
import { showToast } from '../../ui/toast.tsx'

type UserLanguage = AppSchemas['User']['language']

/** Saves the language with the user, so that it applies in every browser. */
export function LanguageChoice({ user }: { user: AppSchemas['User'] }) {
  const queries = useQueryClient()
  const choose = async (language: UserLanguage) => {
    try {
      const saved = await userApp.PATCH('/app/api/me', { body: { language } })
      await queries.invalidateQueries({ queryKey: ['me'] })
      switchLanguage(saved.language)
    } catch (problem) {
      showToast((problem as Error).message)
    }
  }
  return (
    <select
      class="input w-auto"
      aria-label={t('Language')}
      value={user.language ?? ''}
      onChange={(event) => void choose((event.currentTarget.value || null) as UserLanguage)}
    >
      <option value="">{t('Language of the browser')}</option>
      {Object.entries(languages).map(([code, name]) => (
        <option key={code} value={code} lang={code}>
          {name}
        </option>
      ))}
    </select>
  )
}
