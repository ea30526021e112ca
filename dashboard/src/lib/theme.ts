import { t } from './i18n.ts'

export const themeLabels = { system: t('System'), light: t('Light'), dark: t('Dark') } as const
export type Theme = keyof typeof themeLabels

const NAME = 'pharos.theme'

export function rememberedTheme(): Theme {
  const theme = localStorage.getItem(NAME)
  return theme === 'light' || theme === 'dark' ? theme : 'system'
}

export function applyTheme(theme: Theme): void {
  if (theme === 'system') {
    localStorage.removeItem(NAME)
    delete document.documentElement.dataset.theme
  } else {
    localStorage.setItem(NAME, theme)
    document.documentElement.dataset.theme = theme
  }
}
