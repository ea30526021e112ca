import './styles/app.css'
import { QueryClientProvider } from '@tanstack/preact-query'
import { LucideProvider } from 'lucide-preact'
import { render } from 'preact'
import { createQueryClient } from './api/queries.ts'
import { App } from './app.tsx'
import { applyTheme, rememberedTheme } from './lib/theme.ts'

applyTheme(rememberedTheme())
render(
  <QueryClientProvider client={createQueryClient()}>
    <LucideProvider size={16}>
      <App />
    </LucideProvider>
  </QueryClientProvider>,
  document.getElementById('app') as HTMLElement,
)
