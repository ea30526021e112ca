export type Theme = 'system' | 'light' | 'dark'

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
