import { QueryClient } from '@tanstack/preact-query'
import { isTemporary } from './api-error.ts'

const MOST_RETRIES = 2

/** Data is fresh until the event stream reports a change, at most for one minute. */
export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 60_000,
        gcTime: 300_000,
        retry: (count, problem) => isTemporary(problem) && count < MOST_RETRIES,
      },
      mutations: { retry: false },
    },
  })
}
