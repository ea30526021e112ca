import './styles/app.css'
import { QueryClient, QueryClientProvider } from '@tanstack/preact-query'
import { LucideProvider } from 'lucide-preact'
import { render } from 'preact'
import { isTemporary } from './api/api-error.ts'
import { App } from './app.tsx'
import { applyTheme, rememberedTheme } from './lib/theme.ts'

const MOST_RETRIES = 2

/** Data is fresh until the event stream reports a change, at most for one minute. */
const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 60_000,
      gcTime: 300_000,
      retry: (count, problem) => isTemporary(problem) && count < MOST_RETRIES,
    },
    mutations: { retry: false },
  },
})

applyTheme(rememberedTheme())
render(
  <QueryClientProvider client={queryClient}>
    <LucideProvider size={16}>
      <App />
    </LucideProvider>
  </QueryClientProvider>,
  document.getElementById('app') as HTMLElement,
)
